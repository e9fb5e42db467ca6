/* bench_count.c - the time of counting: of a process from cold, of a count in a process
 * that has loaded libclang, and of evaluating a profile at new sizes.  Not a test, as it
 * depends on the machine.  Goals: 50 ms for a count, 10 us for new sizes.
 *
 *   bench_count [GPUCAL [RUNS]]
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

enum { MAX_RUNS = 10000, N_EVALS = 200000, MAX_MACROS = 3 };

extern char **environ;

struct bench_case {
    const char *name, *file;
    const char *macros[MAX_MACROS]; /* "-DT=float", up to a NULL */
    const char *assume, *local, *global;
    size_t n_dims, local_size[GCAL_MAX_DIMS];
    const char *global_size[GCAL_MAX_DIMS];
};

static const struct bench_case subjects[] = {
    { "tiled matmul",
      SOURCE_DIR "/kernels/catalogue/matmul_tiled.cl",
      { "-DT=float", "-DTILE=16" },
      "n % 16 = 0",
      "16,16",
      "n,n",
      2,
      { 16, 16 },
      { "n", "n" } },
    { "stencil",
      SOURCE_DIR "/tests/kernels/count/kernels/stencil.cl",
      { "-DT=float" },
      "n % 14 = 0",
      "16,16",
      "n/14*16,n/14*16",
      2,
      { 16, 16 },
      { "n/14*16", "n/14*16" } },
    { "128 madds",
      SOURCE_DIR "/kernels/catalogue/flops_madd.cl",
      { "-DT=float", "-DUNROLL=1", "-DWIDTH=1" },
      "n % 256 = 0",
      "256",
      "n",
      1,
      { 256 },
      { "n" } },
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_count: %s: %s\n", what, why);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_times(const char *what, size_t n, double *seconds)
{
    qsort(seconds, n, sizeof(*seconds), compare);
    printf("  %-28s min %7.3f ms, median %7.3f ms\n", what, 1e3 * seconds[0],
           1e3 * seconds[n / 2]);
}

/* One process from its start to its end, its output thrown away. */
static double run_once(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    double start_s = now_s();
    int status;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) < 0 || status != 0)
        fail(argv[0], "could not be run, or failed");
    posix_spawn_file_actions_destroy(&actions);
    return now_s() - start_s;
}

static void bench_process(const char *what, size_t n_runs, char *const *argv)
{
    double seconds[MAX_RUNS];

    run_once(argv); /* the files are in memory after it */
    for (size_t i = 0; i < n_runs; i++)
        seconds[i] = run_once(argv);
    print_times(what, n_runs, seconds);
}

static void bench_cold(char *gpucal, const struct bench_case *s, size_t n_runs)
{
    char *argv[9 + MAX_MACROS + 1] = {
        gpucal,
        (char *)"count",
        (char *)s->file,
        (char *)"--local",
        (char *)s->local,
        (char *)"--global",
        (char *)s->global,
        (char *)"--assume",
        (char *)s->assume,
    };

    for (size_t i = 0; i < MAX_MACROS && s->macros[i]; i++)
        argv[9 + i] = (char *)s->macros[i];

    bench_process("cold: gpucal count", n_runs, argv);
}

static struct gcal_profile *count(const struct bench_case *s, const char *source)
{
    char options[200] = "";
    struct gcal_count_request request = { .source = source,
                                          .file = s->file,
                                          .build_options = options,
                                          .n_dims = s->n_dims,
                                          .assume = s->assume };
    struct gcal_error err = { 0 };
    struct gcal_profile *profile;

    for (size_t i = 0; i < MAX_MACROS && s->macros[i]; i++)
        snprintf(options + strlen(options), sizeof(options) - strlen(options), " %s",
                 s->macros[i]);
    memcpy(request.local_size, s->local_size, sizeof(request.local_size));
    memcpy(request.global_size, s->global_size, sizeof(request.global_size));
    if (!(profile = gcal_count(&request, &err)))
        fail(s->file, err.text);
    return profile;
}

static void bench_warm(const struct bench_case *s, const char *source, size_t n_runs)
{
    double seconds[MAX_RUNS];

    gcal_profile_destroy(count(s, source)); /* libclang is open after it */
    for (size_t i = 0; i < n_runs; i++) {
        double start_s = now_s();
        struct gcal_profile *profile = count(s, source);

        seconds[i] = now_s() - start_s;
        gcal_profile_destroy(profile);
    }
    print_times("warm: gcal_count", n_runs, seconds);
}

static struct gcal_binding *bind(const struct gcal_profile *profile)
{
    const char **features = calloc(profile->n_entries, sizeof(*features));
    struct gcal_error err = { 0 };
    struct gcal_binding *binding = NULL;

    for (size_t i = 0; features && i < profile->n_entries; i++)
        features[i] = profile->entries[i].feature;
    if (!features ||
        !(binding = gcal_binding_create(profile, profile->n_entries, features, 32, &err)))
        fail("binding", err.text);
    free(features);
    return binding;
}

/* All features at sizes that were not met before: multiples of 16, 14 and 256. */
static void bench_sizes(const struct gcal_profile *profile)
{
    struct gcal_binding *binding = bind(profile);
    double *sizes = calloc(profile->n_parameters + 1, sizeof(*sizes));
    double *values = calloc(profile->n_entries, sizeof(*values));
    struct gcal_error err = { 0 };
    double start_s = now_s(), sum = 0;

    for (int call = 1; sizes && values && call <= N_EVALS; call++) {
        for (size_t i = 0; i < profile->n_parameters; i++)
            sizes[i] = 1792.0 * (call % 1009 + 1);
        if (gcal_binding_eval(binding, sizes, values, &err) < 0)
            fail("new sizes", err.text);
        sum += values[0];
    }
    printf("  %-28s     %7.3f us, %zu features (sum %g)\n",
           "new sizes: gcal_binding_eval", 1e6 * (now_s() - start_s) / N_EVALS,
           profile->n_entries, sum);
    gcal_binding_destroy(binding);
    free(sizes);
    free(values);
}

static void bench_subject(char *gpucal, const struct bench_case *s, size_t n_runs)
{
    struct gcal_error err = { 0 };
    char *source = gcal_file_read(s->file, 1 << 20, NULL, &err);
    struct gcal_profile *profile;

    if (!source)
        fail(s->file, err.text);
    printf("%s\n", s->name);
    bench_cold(gpucal, s, n_runs);
    bench_warm(s, source, n_runs);
    profile = count(s, source);
    bench_sizes(profile);
    gcal_profile_destroy(profile);
    free(source);
}

int main(int argc, char **argv)
{
    char *gpucal = argc > 1 ? argv[1] : (char *)GPUCAL;
    size_t n_runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
    char *nothing[] = { gpucal, (char *)"--version", NULL };

    if (argc > 3 || n_runs < 1 || n_runs > MAX_RUNS)
        fail("usage", "bench_count [GPUCAL [RUNS]]");
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%zu runs each; files in memory\n", n_runs);
    bench_process("a process: gpucal --version", n_runs, nothing);
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
        bench_subject(gpucal, &subjects[i], n_runs);
    return 0;
}
