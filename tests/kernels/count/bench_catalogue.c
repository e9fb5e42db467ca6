/* bench_catalogue.c - the CPU time of counting the kernels of a catalogue's folder, each with
 * all that a model may name, and their profiles, to compare those of two versions.  Not a
 * test, as times depend on the machine.
 *
 *   bench_catalogue FOLDER RUNS [PROFILES [GENERATOR]...]
 *
 * FOLDER may be "-": the built-in catalogue, a sample of it (variants.h).  Of each kernel the
 * shortest time of RUNS; at the end, the sum.  PROFILES: a file for them, or "-" for none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"
#include "tests/kernels/generate/variants.h"

struct bench {
    int n_runs;
    FILE *profiles; /* NULL: none */
    double sum_s;
};

static void die(const char *what, const struct gcal_error *err)
{
    fprintf(stderr, "bench_catalogue: %s: %s\n", what, err->text);
    exit(1);
}

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_profile(const struct bench *b, const struct gcal_kernel *kernel,
                          const struct gcal_error *why)
{
    struct gcal_error err = { 0 };
    char *text = kernel->profile ? gcal_profile_encode(kernel->profile, &err) : NULL;

    if (kernel->profile && !text)
        die(kernel->name, &err);
    fprintf(b->profiles, "#### %s\n%s\n", kernel->name, text ? text : why->text);
    free(text);
}

/* Counts a kernel once, and prints its profile with the first of the runs. */
static double count_once(struct bench *b, const struct gcal_generator_setting *setting,
                         bool first)
{
    struct gcal_error err = { 0 };
    struct gcal_kernel *kernel = gcal_kernel_create(setting, &err);
    double start_s;

    if (!kernel)
        die(setting->generator->name, &err);
    kernel->counting = (struct gcal_kernel_counting){
        .sub_group_size = 32, .n_banks = 32, .sector_bytes = 32, .index_arithmetic = true
    };
    start_s = cpu_s();
    gcal_kernel_finish(setting, kernel, NULL, &err);
    start_s = cpu_s() - start_s;
    if (first && b->profiles)
        print_profile(b, kernel, &err);
    gcal_kernel_destroy(kernel);
    return start_s;
}

static void bench_variant(struct bench *b, const struct gcal_generator_setting *setting,
                          size_t number)
{
    double least_s = 1e9;

    for (int i = 0; i < b->n_runs; i++) {
        double s = count_once(b, setting, i == 0);

        least_s = s < least_s ? s : least_s;
    }
    printf("%8.2f ms  %s %zu\n", 1e3 * least_s, setting->generator->name, number);
    b->sum_s += least_s;
}

static void bench_generator(struct bench *b, const struct gcal_generator *g)
{
    struct variants variants = { 0 };
    struct gcal_error err = { 0 };

    if (variants_choose(g, false, &variants, &err) < 0)
        die(g->name, &err);
    for (size_t i = 0; i < variants.n; i++) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[i] };

        bench_variant(b, &setting, i);
    }
    variants_clear(&variants);
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue;

    if (argc < 3 || (b.n_runs = atoi(argv[2])) < 1) {
        fprintf(stderr, "usage: bench_catalogue FOLDER RUNS [PROFILES [GENERATOR]...]\n");
        return 1;
    }
    if (!(catalogue =
              gcal_catalogue_open(strcmp(argv[1], "-") == 0 ? NULL : argv[1], &err)))
        die(argv[1], &err);
    if (argc > 3 && strcmp(argv[3], "-") != 0 && !(b.profiles = fopen(argv[3], "w"))) {
        perror(argv[3]);
        return 1;
    }
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (argc < 5 ||
            variants_is_wanted(catalogue->generators[i]->name, argc - 4, argv + 4))
            bench_generator(&b, catalogue->generators[i]);
    printf("%8.2f ms  all\n", 1e3 * b.sum_s);
    if (b.profiles)
        fclose(b.profiles);
    gcal_catalogue_close(catalogue);
    return 0;
}
