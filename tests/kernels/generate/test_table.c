/* test_table.c - the table test: kernels of every generator against their references
 *
 *   test_table [--platform WORDS] [--catalogue FOLDER] [--part I/N] [WORD]...
 *
 * A sample of every generator (variants.h) runs at the sizes of its check on the first
 * device whose platform or name contains WORDS, in a worker process as in a calibration,
 * and is compared with its reference.  One line per kernel: outcome, seconds of building
 * and running, seconds of the reference on the host.  Kernels that the device cannot run
 * (types, work-group, local memory) are listed as left out.
 *
 * --part: only every N-th generator, from the I-th on, so that several can run at once.
 *
 * WORDs choose: names or tags of generators, "-tag" excludes them; "argument:value" keeps
 * kernels with this value, "-argument:value" excludes them.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "kernels/base/strings.h"
#include "calib/plan/private.h"
#include "calib/select/select.h"
#include "tests/kernels/generate/variants.h"

enum { SEED = 20240607, LIMIT_S = 100, SKIPPED = 77 };

struct device_table {
    const char *platform, *folder;
    size_t part, n_parts; /* 1 to n_parts; 0 of 0: all */
    size_t n_words;
    char **words;

    struct gcal_worker_spawner *spawner;
    struct gcal_device_info info;
    struct gcal_plan_device_ops ops;
    struct gcal_memo *references;
    size_t n_good, n_left_out, n_failed;
};

static void die(const char *what, const struct gcal_error *err)
{
    fprintf(stderr, "test_table: %s: %s\n", what, err->text);
    exit(1);
}

/* ---- selection ---- */

/* Whether one of the words of 'text' after the first is 'part'. */
static bool has_part(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (const char *at = text; (at = strstr(at, part)); at++)
        if (at > text && at[-1] == ' ' && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static bool is_negative(const char *word)
{
    return *word == '-';
}

static bool is_chosen_by(const char *word, const struct gcal_generator *g)
{
    if (strcmp(word, g->name) == 0)
        return true;
    for (size_t i = 0; i < g->tags.n; i++)
        if (strcmp(word, g->tags.items[i]) == 0)
            return true;
    return false;
}

static bool is_generator_wanted(const struct device_table *t,
                                const struct gcal_generator *g)
{
    size_t n_names = 0;

    for (size_t i = 0; i < t->n_words; i++)
        if (is_negative(t->words[i]) && is_chosen_by(t->words[i] + 1, g))
            return false;
    for (size_t i = 0; i < t->n_words; i++) {
        if (strchr(t->words[i], ':') || is_negative(t->words[i]))
            continue;
        if (is_chosen_by(t->words[i], g))
            return true;
        n_names++;
    }
    return n_names == 0;
}

static bool is_kernel_wanted(const struct device_table *t,
                             const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < t->n_words; i++) {
        const char *word = t->words[i];
        bool negative = is_negative(word);

        if (strchr(word, ':') && has_part(kernel->name, word + negative) == negative)
            return false;
    }
    return true;
}

/* ---- the device ---- */

static bool is_platform(const struct gcal_device_info *info, const char *words)
{
    return strcasestr(info->platform, words) || strcasestr(info->name, words);
}

/* False when no device matches. */
static bool find_device(struct device_table *t, struct gcal_error *err)
{
    struct gcal_worker *worker = gcal_worker_start(t->spawner, NULL, err);
    struct gcal_device_info *devices = NULL;
    size_t count = 0;

    if (!worker)
        die("worker", err);
    if (gcal_worker_list_devices(worker, LIMIT_S, &devices, &count, err) !=
        GCAL_WORKER_DONE)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (!t->info.uid && (!t->platform || is_platform(&devices[i], t->platform))) {
            t->info = devices[i];
            devices[i] = (struct gcal_device_info){ 0 };
        }
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
    return t->info.uid != NULL;
}

/* ---- one kernel ---- */

enum outcome { GOOD, LEFT_OUT, WRONG };

static enum outcome run(struct device_table *t, const struct gcal_kernel *kernel,
                        double *run_s, double *host_s, struct gcal_error *why)
{
    void **outputs = calloc(kernel->n_args + 1, sizeof(*outputs));
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    enum gcal_worker_outcome reply;
    double start = gcal_clock_now_s(), worst;
    enum outcome outcome = WRONG;

    if (!outputs)
        die(kernel->name, why);
    reply = t->ops.check(t->ops.context, kernel, SEED, LIMIT_S, outputs, &status, why);
    *run_s = gcal_clock_now_s() - start;
    if (reply == GCAL_WORKER_DONE) {
        start = gcal_clock_now_s();
        outcome = gcal_plan_compare_outputs(t->references, kernel, SEED, outputs, &worst,
                                            why) == 0
                      ? GOOD
                      : WRONG;
        *host_s = gcal_clock_now_s() - start;
    } else if (reply == GCAL_WORKER_REFUSED) {
        outcome = status == GCAL_MEASUREMENT_SKIPPED ? LEFT_OUT : WRONG;
    } else {
        struct gcal_error err = { 0 };

        if (reply == GCAL_WORKER_TIMED_OUT)
            gcal_error_set(why, GCAL_EDEVICE, "took longer than %d s", LIMIT_S);
        if (t->ops.restart(t->ops.context, &err) < 0)
            die("the device does not open again", &err);
    }
    for (size_t i = 0; i <= kernel->n_args; i++)
        free(outputs[i]);
    free(outputs);
    return outcome;
}

/* Counts the outcome, and returns it in words. */
static const char *add_outcome(struct device_table *t, enum outcome outcome)
{
    t->n_good += outcome == GOOD;
    t->n_left_out += outcome == LEFT_OUT;
    t->n_failed += outcome == WRONG;
    return outcome == GOOD ? "ok" : outcome == LEFT_OUT ? "left out:" : "FAILED:";
}

static void test_kernel(struct device_table *t,
                        const struct gcal_generator_setting *setting,
                        const struct gcal_kernel *kernel)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(&t->info);
    struct gcal_error why = { 0 };
    enum gcal_kernel_exclusion reason;
    const char *words;
    double run_s = 0, host_s = 0;
    enum outcome outcome = LEFT_OUT;

    if (!gcal_kernel_limits_allow(&limits, setting, kernel, &reason))
        gcal_error_set(&why, GCAL_EDEVICE, "%s", gcal_kernel_exclusion_name(reason));
    else
        outcome = run(t, kernel, &run_s, &host_s, &why);
    words = add_outcome(t, outcome);
    printf("%s: %s %s", kernel->name, words, why.text);
    if (outcome != LEFT_OUT)
        printf(" (device %.2f s, reference %.2f s)", run_s, host_s);
    printf("\n");
    fflush(stdout);
}

/* ---- all ---- */

static void test_generator(struct device_table *t, const struct gcal_generator *g)
{
    struct variants variants = { 0 };
    struct gcal_error err = { 0 };

    if (variants_choose(g, !gcal_strings_contain(&g->tags, "work_removed"), &variants,
                        &err) < 0)
        die(g->name, &err);
    for (size_t i = 0; i < variants.n; i++) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[i] };
        struct gcal_kernel *kernel = gcal_kernel_create(&setting, &err);

        if (!kernel)
            die(g->name, &err);
        if (is_kernel_wanted(t, kernel)) {
            if (gcal_kernel_finish(&setting, kernel, NULL, &err) < 0)
                die(kernel->name, &err);
            test_kernel(t, &setting, kernel);
        }
        gcal_kernel_destroy(kernel);
    }
    variants_clear(&variants);
}

static int test_all(struct device_table *t)
{
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue = gcal_catalogue_open(t->folder, &err);

    if (!catalogue)
        die("catalogue", &err);
    for (size_t i = t->n_parts ? t->part - 1 : 0; i < catalogue->n_generators;
         i += t->n_parts ? t->n_parts : 1)
        if (is_generator_wanted(t, catalogue->generators[i]))
            test_generator(t, catalogue->generators[i]);
    gcal_catalogue_close(catalogue);
    printf("%s: %zu kernels right, %zu left out, %zu failed\n", t->info.name, t->n_good,
           t->n_left_out, t->n_failed);
    return t->n_failed || !t->n_good ? 1 : 0;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: test_table [--platform WORDS] [--catalogue FOLDER] [--part I/N] "
            "[[-]GENERATOR | [-]TAG | [-]ARGUMENT:VALUE]...\n");
    return 1;
}

/* The options in front; -1 when they are wrong. */
static int read_options(struct device_table *t, int argc, char **argv)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (i + 1 == argc)
            return -1;
        if (strcmp(argv[i], "--platform") == 0)
            t->platform = argv[i + 1];
        else if (strcmp(argv[i], "--catalogue") == 0)
            t->folder = argv[i + 1];
        else if (strcmp(argv[i], "--part") == 0 &&
                 sscanf(argv[i + 1], "%zu/%zu", &t->part, &t->n_parts) == 2 && t->part &&
                 t->part <= t->n_parts)
            continue;
        else
            return -1;
    }
    t->n_words = (size_t)(argc - i);
    t->words = argv + i;
    return 0;
}

int main(int argc, char **argv)
{
    struct device_table t = { 0 };
    struct gcal_error err = { 0 };
    int rc = gcal_worker_dispatch(argc, argv);

    if (rc >= 0)
        return rc;
    if (read_options(&t, argc, argv) < 0)
        return usage();
    if (!(t.spawner = gcal_worker_spawner_start(&err)))
        die("spawner", &err);
    if (!find_device(&t, &err)) {
        printf("no device of platform '%s': %s\n", t.platform ? t.platform : "any",
               err.text);
        gcal_worker_spawner_stop(t.spawner);
        return SKIPPED;
    }
    t.ops = gcal_plan_worker_ops_create(t.spawner, t.info.uid, LIMIT_S, NULL, &err);
    if (!t.ops.context || t.ops.restart(t.ops.context, &err) < 0)
        die(t.info.name, &err);
    t.references = gcal_plan_references_create(GCAL_PLAN_REFERENCES_BYTES, NULL);
    rc = test_all(&t);
    gcal_memo_destroy(t.references);
    gcal_plan_worker_ops_destroy(&t.ops);
    gcal_device_info_clear(&t.info);
    gcal_worker_spawner_stop(t.spawner);
    return rc;
}
