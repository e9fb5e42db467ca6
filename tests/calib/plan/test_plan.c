/* test_plan.c - plans on a scripted device: sizes, checks, order, when to stop, failures
 *
 * Time passes when the script says so, the machine has as many processors as it says, and what
 * the host computes is held back until the device has come so far: nothing here depends on how
 * fast or how busy the machine is.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/threads.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "calib/plan/plan.h"
#include "calib/plan/private.h"
#include "tests/facts.h"

#define MAX_KERNELS 40
#define CHECK_N     32

/* How a launch of a kernel goes on the test double. */
enum behaviour {
    STEADY,
    TWO_SPEEDS,
    DRIFTING,
    HANGS,
    DIES,
    DIES_WHEN_PREPARED,
    WRONG,
    WRONG_TWO_SPEEDS,
    BAD_EVENTS,
    TOO_LARGE
};

/* ---- the host: its clock, its processors, and its results, linked with --wrap ---- */

static double now_s;
static size_t processors;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opened = PTHREAD_COND_INITIALIZER;
static bool host_is_held;

double __wrap_gcal_clock_now_s(void);
void __wrap_gcal_clock_sleep_s(double seconds);
size_t __wrap_gcal_threads_processors(void);
void __real_gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                                  const struct gcal_geometry *geometry,
                                  struct gcal_plan_result *result);
void __wrap_gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                                  const struct gcal_geometry *geometry,
                                  struct gcal_plan_result *result);

double __wrap_gcal_clock_now_s(void)
{
    return now_s;
}

void __wrap_gcal_clock_sleep_s(double seconds)
{
    now_s += seconds;
}

size_t __wrap_gcal_threads_processors(void)
{
    return processors;
}

static void hold_host(bool is_held)
{
    pthread_mutex_lock(&gate);
    host_is_held = is_held;
    pthread_cond_broadcast(&gate_opened);
    pthread_mutex_unlock(&gate);
}

void __wrap_gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                                  const struct gcal_geometry *geometry,
                                  struct gcal_plan_result *result)
{
    pthread_mutex_lock(&gate);
    while (host_is_held)
        pthread_cond_wait(&gate_opened, &gate);
    pthread_mutex_unlock(&gate);
    __real_gcal_plan_run_on_host(kernel, seed, geometry, result);
}

/* ---- kernels: c[i] = 2 a[i], never built ---- */

static struct gcal_kernel_list list;
static enum behaviour behaviours[MAX_KERNELS];
static double times_s[MAX_KERNELS];

static struct gcal_size *one_size(struct gcal_arena *a, double value)
{
    struct gcal_size *size = gcal_arena_alloc(a, 1, sizeof(*size));

    size->name = gcal_arena_strdup(a, "n");
    size->value = value;
    return size;
}

static struct gcal_profile *make_profile(void)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    profile->kernel = strdup("twice");
    profile->n_parameters = 1;
    profile->parameters = calloc(1, sizeof(char *));
    profile->parameters[0] = strdup("n");
    profile->n_dims = 1;
    profile->local_size[0] = 1;
    profile->groups[0] = strdup("n");
    entry->feature = strdup("f_op_float32_mul");
    entry->kind = GCAL_FEATURE_OP;
    entry->count = strdup("n");
    entry->dtype = strdup("float32");
    entry->op = strdup("mul");
    return profile;
}

static void add_kernel(const char *family, double n, bool sweep, double time_s,
                       enum behaviour behaviour)
{
    struct gcal_arena *a = gcal_arena_create();
    struct gcal_kernel *k = gcal_arena_alloc(a, 1, sizeof(*k));

    k->arena = a;
    k->name = gcal_arena_format(a, "%s n:%.0f", family, n);
    k->id = gcal_arena_strdup(a, k->name);
    k->generator = gcal_arena_strdup(a, family);
    k->family = gcal_arena_strdup(a, family);
    k->variant = gcal_arena_strdup(a, family);
    k->source = gcal_arena_strdup(
        a, "kernel void twice(global float *c, global const float *a, int n)"
           "{ c[get_global_id(0)] = 2 * a[get_global_id(0)]; }");
    k->entry = gcal_arena_strdup(a, "twice");
    k->n_dims = 1;
    k->local_size[0] = 1;
    k->global_size[0] = gcal_arena_strdup(a, "n");
    k->n_sizes = k->n_check_sizes = 1;
    k->sizes = one_size(a, n);
    k->check_sizes = one_size(a, CHECK_N);
    k->n_args = 3;
    k->args = gcal_arena_alloc(a, 3, sizeof(*k->args));
    k->args[0] = (struct gcal_arg){ .name = gcal_arena_strdup(a, "c"),
                                    .kind = GCAL_ARG_BUFFER,
                                    .dtype = gcal_arena_strdup(a, "float32"),
                                    .value = gcal_arena_strdup(a, "n"),
                                    .output = true };
    k->args[1] = (struct gcal_arg){ .name = gcal_arena_strdup(a, "a"),
                                    .kind = GCAL_ARG_BUFFER,
                                    .dtype = gcal_arena_strdup(a, "float32"),
                                    .value = gcal_arena_strdup(a, "n"),
                                    .output = false };
    k->args[2] = (struct gcal_arg){ .name = gcal_arena_strdup(a, "n"),
                                    .kind = GCAL_ARG_SCALAR,
                                    .dtype = gcal_arena_strdup(a, "int32"),
                                    .value = gcal_arena_strdup(a, "n"),
                                    .output = false };
    k->reference =
        gcal_arena_strdup(a, "void reference(float *c, const float *a, int n)"
                             "{ for (int i = 0; i < n; i++) c[i] = 2 * a[i]; }");
    k->tolerance = 1e-6;
    k->sweep = sweep;
    set_use(&k->uses, "m", GCAL_KERNEL_FITTED);
    k->profile = make_profile();
    if (!list.kernels)
        list.kernels = calloc(MAX_KERNELS, sizeof(*list.kernels));
    behaviours[list.n_kernels] = behaviour;
    times_s[list.n_kernels] = time_s;
    list.kernels[list.n_kernels++] = k;
}

/* ---- a device made of a script: the test double ---- */

static struct scripted_device {
    int starts;
    size_t launches;
    double visit_s;                    /* that a measurement takes */
    char visits[1 << 16];              /* the names of what was measured, in order */
    size_t tried;                      /* kernels prepared */
    size_t n_announced, n_unannounced; /* the latter were prepared */
    size_t announced[MAX_KERNELS];
    size_t n_prepared, prepared[MAX_KERNELS];
    bool is_complete;          /* nothing more will be announced */
    char *type;                /* NULL: none */
    size_t slow_from, slow_to; /* launches that take half as long again */
    size_t late_from, late_to; /* every second launch of these begins late */
    double rate, gap_s;        /* of the host's time: 1 and 15 us unless set */
    double share;              /* of the processors that it needs; 0: all */
    double start_s;            /* of a worker */
    double busy[3];            /* the share that is reported first, then, and later */
    size_t n_busy;             /* asked */
    size_t sunk_before;        /* rows, before the kernel prepared last */
    size_t n_measured, n_deaths;
    /* The host is held back until so many were prepared, measured, or died; 0: it is not. */
    size_t until_tried, until_measured, until_deaths;
} device;

static size_t n_sunk;

static size_t index_of(const struct gcal_kernel *kernel)
{
    size_t i = 0;

    while (strcmp(list.kernels[i]->id, kernel->id) != 0)
        i++;
    return i;
}

static void let_host_go(size_t n, size_t until)
{
    if (until && n == until)
        hold_host(false);
}

static int scripted_restart(void *context, struct gcal_error *err)
{
    (void)context;
    (void)err;
    device.starts++;
    now_s += device.start_s;
    return 0;
}

static void scripted_announce(void *context, const struct gcal_kernel *kernel)
{
    (void)context;
    assert_true(!device.is_complete);
    device.announced[device.n_announced++] = index_of(kernel);
}

static void scripted_announced_all(void *context)
{
    (void)context;
    device.is_complete = true;
}

static bool is_announced(size_t kernel)
{
    for (size_t i = 0; i < device.n_announced; i++)
        if (device.announced[i] == kernel)
            return true;
    return false;
}

static enum gcal_worker_outcome scripted_prepare(void *context,
                                                 const struct gcal_kernel *kernel,
                                                 double limit_s, double *first_s,
                                                 enum gcal_measurement_status *status,
                                                 struct gcal_error *err)
{
    (void)context;
    (void)limit_s;
    if (kernel->launches) /* for the clock alone */
        return GCAL_WORKER_DONE;
    let_host_go(++device.tried, device.until_tried);
    device.prepared[device.n_prepared++ % MAX_KERNELS] = index_of(kernel);
    device.sunk_before = n_sunk;
    device.n_unannounced += !is_announced(index_of(kernel));
    *first_s = times_s[index_of(kernel)];
    if (behaviours[index_of(kernel)] == BAD_EVENTS) {
        *status = GCAL_MEASUREMENT_BAD_EVENTS;
        gcal_error_set(err, GCAL_EDEVICE, "event lasts 0 s");
        return GCAL_WORKER_REFUSED;
    }
    if (behaviours[index_of(kernel)] == TOO_LARGE) {
        *status = GCAL_MEASUREMENT_SKIPPED;
        gcal_error_set(err, GCAL_EDEVICE, "needs 713 bytes of local memory");
        return GCAL_WORKER_REFUSED;
    }
    if (behaviours[index_of(kernel)] != DIES_WHEN_PREPARED)
        return GCAL_WORKER_DONE;
    gcal_error_set(err, GCAL_EDEVICE, "the worker died of signal 11");
    return GCAL_WORKER_DIED;
}

static enum gcal_worker_outcome
scripted_measure(void *context, const struct gcal_kernel *kernel, size_t n,
                 double limit_s, struct gcal_measurement_sample *samples,
                 enum gcal_measurement_status *status, struct gcal_error *err)
{
    size_t k = index_of(kernel);

    (void)context;
    (void)limit_s;
    (void)status;
    if (kernel->launches) {
        for (size_t i = 0; i < n; i++) {
            samples[i].time_s = times_s[k] * strtod(kernel->launches, NULL);
            samples[i].host_s = samples[i].time_s * (device.rate ? device.rate : 1) +
                                (device.gap_s ? device.gap_s : 15e-6);
        }
        return GCAL_WORKER_DONE;
    }
    if (behaviours[k] == HANGS)
        return GCAL_WORKER_TIMED_OUT;
    let_host_go(++device.n_measured, device.until_measured);
    if (behaviours[k] == DIES) {
        let_host_go(++device.n_deaths, device.until_deaths);
        gcal_error_set(err, GCAL_EDEVICE, "the worker died of signal 9");
        return GCAL_WORKER_DIED;
    }
    if (strlen(device.visits) + strlen(kernel->name) + 2 < sizeof(device.visits))
        strcat(strcat(device.visits, kernel->name), "|");
    now_s += device.visit_s;
    for (size_t i = 0; i < n; i++) {
        size_t launch = device.launches++;
        double factor = behaviours[k] == TWO_SPEEDS || behaviours[k] == WRONG_TWO_SPEEDS
                            ? 1 + 0.5 * (launch % 2)
                        : behaviours[k] == DRIFTING ? 1 + 0.05 * (double)launch
                                                    : 1 + 1e-5 * (launch % 3);

        if (launch >= device.slow_from && launch < device.slow_to)
            factor *= 1.5;
        samples[i].time_s = times_s[k] * factor;
        samples[i].host_s = samples[i].time_s * (device.rate ? device.rate : 1) +
                            (device.gap_s ? device.gap_s : 15e-6);
        if (launch >= device.late_from && launch < device.late_to && launch % 2)
            samples[i].host_s += 2.4e-3;
    }
    return GCAL_WORKER_DONE;
}

static double scripted_busy(void *context)
{
    (void)context;
    return device.busy[device.n_busy < 2 ? device.n_busy++ : 2];
}

/* Of two threads, as long as time passes. */
static struct gcal_worker_use scripted_use(void *context)
{
    double share = device.share ? device.share : 1;

    (void)context;
    return (struct gcal_worker_use){ .ran_s = 2 * now_s * share,
                                     .waited_s = 2 * now_s * (1 - share) };
}

static enum gcal_worker_outcome
scripted_check(void *context, const struct gcal_kernel *kernel, uint64_t seed,
               double limit_s, void **outputs, enum gcal_measurement_status *status,
               struct gcal_error *err)
{
    float *c = calloc(CHECK_N, sizeof(*c)), a[CHECK_N];

    (void)context;
    (void)limit_s;
    (void)status;
    (void)err;
    gcal_dtype_fill(seed + 1, "float32", CHECK_N, a);
    for (size_t i = 0; i < CHECK_N; i++)
        c[i] = 2 * a[i];
    if (behaviours[index_of(kernel)] == WRONG ||
        behaviours[index_of(kernel)] == WRONG_TWO_SPEEDS)
        c[17] += 0.3f;
    outputs[0] = c;
    return GCAL_WORKER_DONE;
}

/* ---- a sink that remembers ---- */

static struct gcal_measurement sunk[MAX_KERNELS];
static size_t n_done;
static const struct gcal_plan_done *done;
static char *last_launch;
static bool sink_fails;

static int keep_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    (void)context;
    if (sink_fails)
        return gcal_error_set(err, GCAL_ESTORE, "disk full");
    assert_string_equal(kernel->uses.items[0].model, "m");
    assert_int_equal(kernel->n_sizes, 1);
    assert_non_null(strstr(kernel->profile, "f_op_float32_mul"));
    free(last_launch);
    last_launch = strdup(kernel->launch);
    return 0;
}

static int keep_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct gcal_measurement *kept = &sunk[n_sunk++];

    (void)context;
    (void)err;
    *kept = *m;
    kept->kernel_id = strdup(m->kernel_id);
    kept->detail = m->detail ? strdup(m->detail) : NULL;
    kept->samples = NULL;
    for (size_t i = 0; i < m->n_samples; i++)
        kept->median_s = fmax(kept->median_s, m->samples[i].time_s); /* the largest */
    for (size_t i = 1; i < m->n_samples; i++)
        assert_true(m->samples[i].order > m->samples[i - 1].order);
    for (size_t i = 0; i < n_done && m->n_samples; i++)
        assert_true(m->samples->order > done[i].last_order);
    return 0;
}

static const struct gcal_measurement *row(const char *kernel)
{
    for (size_t i = 0; i < n_sunk; i++)
        if (strcmp(sunk[i].kernel_id, kernel) == 0)
            return &sunk[i];
    return NULL;
}

/* ---- running ---- */

static struct gcal_config_measure_options options;

static void forget_rows(void)
{
    for (size_t i = 0; i < n_sunk; i++) {
        free(sunk[i].kernel_id);
        free(sunk[i].detail);
    }
    n_sunk = 0;
    device = (struct scripted_device){ 0 };
}

static int set_up(void **state)
{
    (void)state;
    forget_rows();
    gcal_log_set_level(GCAL_LOG_ERROR);
    sink_fails = false;
    n_done = 0;
    processors = 2;
    options = (struct gcal_config_measure_options){
        .budget_s = 2,
        .min_time_s = 1e-3,
        .max_time_s = 0.2,
        .noise = 0.005,
        .kernel_limit_s = 20,
        .min_samples = 8,
        .max_samples = 60,
        .sizes = 3,
        .seed = 977,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    forget_rows();
    gcal_kernel_list_clear(&list);
    free(last_launch);
    last_launch = NULL;
    return 0;
}

static struct gcal_plan_use use;
static bool backwards;

static void keep_use(void *context, const struct gcal_plan_use *u)
{
    (void)context;
    use = *u;
}

static int run(struct gcal_error *err)
{
    struct gcal_plan_device_ops ops = { .restart = scripted_restart,
                                        .prepare = scripted_prepare,
                                        .measure = scripted_measure,
                                        .check = scripted_check,
                                        .busy = scripted_busy,
                                        .use = scripted_use,
                                        .announce = scripted_announce,
                                        .announced_all = scripted_announced_all };
    struct gcal_plan_hooks hooks = { .sink = { .kernel = keep_kernel,
                                               .measurement = keep_measurement },
                                     .used = keep_use,
                                     .backwards = backwards,
                                     .n_done = n_done,
                                     .done = done };
    struct gcal_device_info info = { .uid = "uuid:1",
                                     .name = "scripted",
                                     .device_type = device.type };

    hold_host(device.until_tried || device.until_measured || device.until_deaths);
    int rc = gcal_plan_measure(&ops, "n1", &info, &list, &options, &hooks, err);

    /* What was measured before the run was resumed is prepared to see whether it is as fast. */
    assert_true(n_done || !device.n_unannounced);
    return rc;
}

static void stops_when_the_median_is_known(void **state)
{
    struct gcal_error err = { 0 };
    const struct gcal_measurement *m;

    (void)state;
    add_kernel("steady", 4096, false, 2.385e-3, STEADY);
    assert_int_equal(run(&err), 0);
    m = row("steady n:4096");
    assert_int_equal(m->status, GCAL_MEASUREMENT_GOOD);
    assert_int_equal(m->stop, GCAL_MEASUREMENT_STOP_NOISE);
    assert_int_equal(m->n_samples, 8);
    assert_true(m->checked && m->worst_difference < 1e-6);
    assert_string_equal(last_launch, "global n local 1");
}

static void stops_when_more_samples_do_not_help(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    options.noise = 1e-9;
    options.budget_s = 20;
    add_kernel("drifting", 4096, false, 2.385e-3, DRIFTING);
    assert_int_equal(run(&err), 0);
    assert_int_equal(row("drifting n:4096")->stop, GCAL_MEASUREMENT_STOP_STABLE);
    assert_int_equal(row("drifting n:4096")->n_samples, 24);
}

static void stops_at_the_most_samples(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("two", 4096, false, 2.385e-3, TWO_SPEEDS);
    assert_int_equal(run(&err), 0);
    assert_int_equal(row("two n:4096")->stop, GCAL_MEASUREMENT_STOP_SAMPLES);
    assert_int_equal(row("two n:4096")->n_samples, 60);
}

/* Eight take 19 ms, which is not enough; some visits later it is. */
static void stops_when_the_samples_took_enough(void **state)
{
    struct gcal_error err = { 0 };
    const struct gcal_measurement *m;

    (void)state;
    options.enough_s = 0.05;
    add_kernel("two", 4096, false, 2.385e-3, TWO_SPEEDS);
    add_kernel("long", 4096, false, 0.1, TWO_SPEEDS);
    assert_int_equal(run(&err), 0);
    m = row("two n:4096");
    assert_int_equal(m->stop, GCAL_MEASUREMENT_STOP_SAMPLES);
    assert_true(m->n_samples > 8 && m->n_samples <= 24);
    assert_int_equal(row("long n:4096")->n_samples, 8);
}

/* Of half of 2 s, each of 20 has 50 ms: enough for the one, and less than the least of another. */
static void a_kernel_has_its_share_of_the_budget(void **state)
{
    struct gcal_error err = { 0 };
    const struct gcal_measurement *m;
    char name[20];

    (void)state;
    add_kernel("two", 4096, false, 2.385e-3, TWO_SPEEDS);
    add_kernel("long", 4096, false, 0.02, TWO_SPEEDS);
    for (int i = 0; i < 18; i++) {
        snprintf(name, sizeof(name), "steady %d", i);
        add_kernel(name, 4096, false, 1e-3, STEADY);
    }
    assert_int_equal(run(&err), 0);
    m = row("two n:4096");
    assert_int_equal(m->stop, GCAL_MEASUREMENT_STOP_SAMPLES);
    assert_true(m->n_samples > 8 && m->n_samples <= 24);
    assert_int_equal(row("long n:4096")->n_samples, 8);
}

/* Visits take 12 ms and the budget is 400 ms: every kernel is recorded, at least as one
 * that the time did not suffice for, and most were visited before any was refined.
 */
static void the_budget_ends_it(void **state)
{
    struct gcal_error err = { 0 };
    size_t n_good = 0, n_skipped = 0;

    (void)state;
    options.budget_s = 0.4;
    options.noise = 1e-9;
    device.visit_s = 12e-3;
    for (size_t i = 0; i < MAX_KERNELS; i++)
        add_kernel("many", (double)i + 713, false, 2.385e-3, TWO_SPEEDS);
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++) {
        n_good += sunk[i].status == GCAL_MEASUREMENT_GOOD &&
                  sunk[i].stop == GCAL_MEASUREMENT_STOP_BUDGET;
        n_skipped += sunk[i].status == GCAL_MEASUREMENT_SKIPPED && !sunk[i].n_samples &&
                     strstr(sunk[i].detail, "budget");
    }
    assert_int_equal(n_good + n_skipped, MAX_KERNELS);
    assert_true(n_good > 3);
}

/* Half of the time without a processor: the budget lasts for twice as long.  Of a machine that gives
 * none at all, for four times as long.
 */
static void waiting_for_processors_costs_no_budget(void **state)
{
    static const struct {
        double share, lasts;
    } cases[] = { { 1, 1 }, { 0.5, 2 }, { 0.001, 4 } };
    struct gcal_error err = { 0 };
    double began_s;

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        tear_down(state);
        set_up(state);
        options.budget_s = 10;
        options.noise = 1e-9;
        device.visit_s = 0.5;
        device.share = cases[c].share;
        for (size_t i = 0; i < MAX_KERNELS; i++)
            add_kernel("many", (double)i + 713, false, 2.385e-3, TWO_SPEEDS);
        began_s = now_s;
        assert_int_equal(run(&err), 0);
        assert_in_range(100 * (now_s - began_s) / 10, 100 * cases[c].lasts,
                        110 * cases[c].lasts);
    }
}

static void a_worker_may_wait_for_processors_as_it_starts(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    options.budget_s = 10;
    device.share = 0.25;
    device.start_s = 12;
    add_kernel("steady", 713, false, 2.385e-3, STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(row("steady n:713")->status, GCAL_MEASUREMENT_GOOD);
}

static void a_kernel_that_hangs_costs_its_row(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("steady", 713, false, 2.385e-3, STEADY);
    add_kernel("hangs", 713, false, 0.3, HANGS);
    add_kernel("other", 713, false, 2.385e-3, STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(row("hangs n:713")->status, GCAL_MEASUREMENT_TIMED_OUT);
    assert_non_null(strstr(row("hangs n:713")->detail, "20 s"));
    assert_int_equal(row("steady n:713")->status, GCAL_MEASUREMENT_GOOD);
    assert_int_equal(row("other n:713")->status, GCAL_MEASUREMENT_GOOD);
    assert_int_equal(device.starts, 2);
}

static void three_deaths_in_a_row_give_the_device_up(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < 5; i++)
        add_kernel("dies", (double)i + 713, false, 2.385e-3, DIES);
    assert_int_equal(run(&err), -1);
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_non_null(strstr(err.text, "signal 9"));
    assert_int_equal(n_sunk, 3);
    assert_int_equal(sunk[2].status, GCAL_MEASUREMENT_CRASHED);
}

static void deaths_between_successes_do_not(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < 8; i++)
        add_kernel("mixed", (double)i + 713, false, 2.385e-3,
                   i % 2 ? DIES_WHEN_PREPARED : STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 8);
    assert_int_equal(row("mixed n:714")->status, GCAL_MEASUREMENT_CRASHED);
    assert_int_equal(row("mixed n:719")->status, GCAL_MEASUREMENT_GOOD);
}

static void the_order_is_random_and_follows_from_the_seed(void **state)
{
    struct gcal_error err = { 0 };
    char *first, *again;

    (void)state;
    for (size_t i = 0; i < 12; i++)
        add_kernel("k", (double)i + 713, false, 2.385e-3, TWO_SPEEDS);
    assert_int_equal(run(&err), 0);
    first = strdup(device.visits);
    forget_rows();
    assert_int_equal(run(&err), 0);
    again = strdup(device.visits);
    forget_rows();
    options.seed++;
    assert_int_equal(run(&err), 0);
    assert_string_equal(first, again);
    assert_string_not_equal(first, device.visits);
    free(first);
    free(again);
}

/* 0.0001 s to 100 s: two of the sizes between 1 and 200 ms are wanted, longer ones are
 * not tried once one would be too long.
 */
static void a_sweep_keeps_its_longest_sizes(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    options.sizes = 2;
    for (double n = 1e6; n >= 1; n /= 10)
        add_kernel("swept", n, true, n * 1e-4, STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 2);
    assert_non_null(row("swept n:100"));
    assert_non_null(row("swept n:1000"));
    assert_int_equal(device.tried, 4);
}

/* And no more of it when the run is resumed. */
static void a_size_that_was_measured_counts(void **state)
{
    static const struct gcal_plan_done ids[] = {
        { (char *)"swept n:100", 0.01, 3, { 0 } }
    };
    struct gcal_error err = { 0 };

    (void)state;
    options.sizes = 1;
    for (double n = 1; n <= 10000; n *= 10) {
        add_kernel("swept", n, true, n * 1e-4, STEADY);
        add_kernel("other", n, true, n * 1e-4, STEADY);
    }
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 2);
    assert_non_null(row("swept n:1000"));
    forget_rows();
    n_done = 1;
    done = ids;
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 1);
    assert_non_null(row("other n:1000"));
}

static void a_sweep_without_a_size_in_range_keeps_the_nearest(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("swept", 713, true, 1e-5, STEADY);
    add_kernel("swept", 7130, true, 1e-4, STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 1);
    assert_int_equal(row("swept n:7130")->status, GCAL_MEASUREMENT_GOOD);
}

/* Tried twice, then the sweep goes on. */
static void a_size_too_short_for_the_clock_does_not_end_the_sweep(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("swept", 713, true, 1e-9, BAD_EVENTS);
    add_kernel("swept", 7130, true, 2.385e-3, STEADY);
    assert_int_equal(run(&err), 0);
    assert_int_equal(device.tried, 3);
    assert_int_equal(row("swept n:713")->status, GCAL_MEASUREMENT_BAD_EVENTS);
    assert_int_equal(row("swept n:7130")->status, GCAL_MEASUREMENT_GOOD);
}

/* Rungs that do not fit are left out; but a family must not vanish without a word. */
static void a_sweep_that_does_not_fit_is_recorded(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("none", 713, true, 2.385e-3, TOO_LARGE);
    add_kernel("none", 7130, true, 2.385e-2, TOO_LARGE);
    add_kernel("some", 713, true, 2.385e-3, STEADY);
    add_kernel("some", 7130, true, 2.385e-2, TOO_LARGE);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 2);
    assert_int_equal(row("none n:713")->status, GCAL_MEASUREMENT_SKIPPED);
    assert_string_equal(row("none n:713")->detail, "needs 713 bytes of local memory");
    assert_int_equal(row("some n:713")->status, GCAL_MEASUREMENT_GOOD);
}

static void a_wrong_kernel_is_not_measured(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("wrong", 713, false, 2.385e-3, WRONG);
    add_kernel("wrong", 4099, false, 4.7e-3, WRONG);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sunk[i].status, GCAL_MEASUREMENT_WRONG_RESULT);
        assert_int_equal(sunk[i].n_samples, 0);
        assert_non_null(strstr(sunk[i].detail, "wrong: c[17] is "));
        assert_true(sunk[i].worst_difference > 0.01);
    }
    assert_string_equal(device.visits, "");
}

static void a_resumed_run_leaves_out_what_is_done(void **state)
{
    static const struct gcal_plan_done ids[] = {
        { (char *)"steady n:713", 2.385e-3, 41, { 0 } },
        { (char *)"swept n:100", 0.01, 36, { 0 } }
    };
    struct gcal_error err = { 0 };

    (void)state;
    options.sizes = 2;
    add_kernel("steady", 713, false, 2.385e-3, STEADY);
    add_kernel("other", 713, false, 2.385e-3, STEADY);
    for (double n = 10; n <= 1000; n *= 10)
        add_kernel("swept", n, true, n * 1e-4, STEADY);
    n_done = 2;
    done = ids;
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_sunk, 2);
    assert_non_null(row("other n:713"));
    assert_non_null(row("swept n:1000"));
}

static void a_sink_that_fails_ends_it(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    sink_fails = true;
    add_kernel("steady", 713, false, 2.385e-3, STEADY);
    assert_int_equal(run(&err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
}

/* All before the first is prepared, in the order of preparing, and without what is done. */
static void kernels_are_announced(void **state)
{
    static const struct gcal_plan_done before = { (char *)"b n:64", 1e-3, 0, { 0 } };
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("a", 64, false, 2e-3, STEADY);
    add_kernel("b", 64, false, 1e-3, STEADY);
    add_kernel("c", 64, false, 3e-3, STEADY);
    n_done = 1;
    done = &before;
    assert_int_equal(run(&err), 0);
    assert_int_equal(device.n_announced, 2);
    assert_int_equal(device.announced[0], 0);
    assert_int_equal(device.announced[1], 2);
    assert_true(device.is_complete);
    forget_rows();
    backwards = true;
    assert_int_equal(run(&err), 0);
    backwards = false;
    assert_int_equal(device.announced[0], 2);
    assert_int_equal(device.announced[1], 0);
    assert_int_equal(device.n_prepared, 3); /* one of them as a test of the speed */
    assert_int_equal(device.prepared[1], 2);
    assert_int_equal(device.prepared[2], 0);
}

/* Two first launches and the samples, of 2 ms each, in visits that take 20 ms. */
static void its_use_is_reported(void **state)
{
    struct gcal_error err = { 0 };
    const struct gcal_measurement *m;
    double launches;

    (void)state;
    add_kernel("a", 64, false, 2e-3, STEADY);
    device.visit_s = 0.02;
    assert_int_equal(run(&err), 0);
    m = row("a n:64");
    launches = (double)(m->n_samples + m->n_warmup);
    assert_true(use.busy_s > 0.99 * launches * 2e-3 &&
                use.busy_s < 1.01 * launches * 2e-3);
    assert_true(use.span_s >= 0.02 && use.span_s < 2);
}

/* The device goes on while the host computes what is right, and what is wrong is recorded as
 * such, without samples.  On CPUs, if nothing is known of the device, and if the host has one
 * processor, it waits.
 */
static void the_host_computes_beside_the_device(void **state)
{
    static const struct {
        char *type;
        size_t processors;
        bool waits;
    } cases[] = {
        { NULL, 2, true },
        { (char *)"cpu", 2, true },
        { (char *)"gpu", 1, true },
        { (char *)"gpu", 2, false },
    };

    (void)state;
    add_kernel("wrong", 64, false, 2e-3, WRONG);
    add_kernel("right", 64, false, 3e-3, STEADY);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };

        forget_rows();
        device.type = cases[i].type;
        processors = cases[i].processors;
        device.until_tried = cases[i].waits ? 0 : 2;
        assert_int_equal(run(&err), 0);
        assert_int_equal(device.sunk_before, cases[i].waits);
        assert_int_equal(n_sunk, 2);
        assert_int_equal(row("wrong n:64")->status, GCAL_MEASUREMENT_WRONG_RESULT);
        assert_int_equal(row("wrong n:64")->n_samples, 0);
        assert_int_equal(row("wrong n:64")->stop, GCAL_MEASUREMENT_STOP_NONE);
        assert_non_null(strstr(row("wrong n:64")->detail, "c[17] is "));
        assert_int_equal(row("right n:64")->status, GCAL_MEASUREMENT_GOOD);
        assert_int_equal(row("right n:64")->n_samples, 8);
        assert_true(row("right n:64")->checked);
    }
}

/* ---- what disturbs a device ---- */

static void add_disturbed(void)
{
    device.type = (char *)"gpu";
    options.budget_s = 20;
    options.noise = 1e-9;
    options.max_samples = 16;
    for (int i = 0; i < 10; i++)
        add_kernel("k", 64 + i, false, 10e-3, STEADY);
}

/* What was measured meanwhile is measured again. */
static void a_disturbance_is_waited_out(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    device.slow_from = 70;
    device.slow_to = 130;
    assert_int_equal(run(&err), 0);
    assert_true(device.launches > device.slow_to);
    assert_int_equal(n_sunk, 10);
    for (size_t i = 0; i < n_sunk; i++) {
        assert_int_equal(sunk[i].n_samples, 16);
        assert_true(sunk[i].median_s < 10.1e-3);
    }
}

/* Nobody else uses it: it is slower now, which the record shows. */
static void a_device_that_stays_slow_is_measured(void **state)
{
    struct gcal_error err = { 0 };
    size_t n_slow = 0;

    (void)state;
    add_disturbed();
    options.budget_s = 6;
    device.slow_from = 70;
    device.slow_to = SIZE_MAX;
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++)
        n_slow += sunk[i].n_samples == 16 && sunk[i].median_s > 14.9e-3;
    assert_int_equal(n_slow, 10);
}

static void a_device_in_use_is_given_up(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    options.budget_s = 2;
    device.busy[0] = device.busy[1] = device.busy[2] = 0.7;
    assert_int_equal(run(&err), -1);
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_non_null(strstr(err.text, "in use by others, for 70 % of the time"));
    assert_true(use.others);
    assert_int_equal(device.launches + n_sunk, 0);
}

static void a_device_that_is_idle_soon_is_awaited(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    device.busy[0] = 0.7;
    assert_int_equal(run(&err), 0);
    assert_int_equal(device.n_busy, 2);
    assert_int_equal(n_sunk, 10);
    assert_false(use.others);
}

/* Others begin to use it. */
static void a_device_that_is_taken_is_given_up(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    options.budget_s = 2;
    device.slow_from = 70;
    device.slow_to = SIZE_MAX;
    device.busy[2] = 0.4;
    assert_int_equal(run(&err), -1);
    assert_non_null(strstr(err.text, "in use by others, for 40 % of the time"));
    assert_true(use.others);
}

/* Another program and this one take turns; no launch takes longer for that. */
static void turns_with_another_program_are_waited_out(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    device.late_from = 70;
    device.late_to = 130;
    assert_int_equal(run(&err), 0);
    assert_true(device.launches > 10 * 16 + 60);
    for (size_t i = 0; i < n_sunk; i++)
        assert_int_equal(sunk[i].n_samples, 16);
}

/* By what the host's time grows, the kernels' times, and what becomes of the device; milliseconds
 * that are microseconds by events, too.
 */
static void a_clock_that_is_wrong_is_found(void **state)
{
    static const struct {
        double rate, shortest_s;
        const char *type;
        bool wrong;
    } cases[] = {
        { 1000, 6.2e-6, "gpu", true },      { 2, 3.1e-3, "gpu", true },
        { 2, 3.1e-3, "cpu", true },         { 1 / 0.6, 3.1e-3, "gpu", true },
        { 1 / 0.6, 3.1e-3, "cpu", true },   { 1 / 0.85, 3.1e-3, "gpu", true },
        { 1 / 0.85, 3.1e-3, "cpu", false }, { 1.05, 3.1e-3, "gpu", false },
        { 1.003, 3.1e-3, "gpu", false },    { 1 / 0.6, 3.1e-5, "gpu", true },
        { 1.05, 3.1e-5, "gpu", true }, /* the record would not show it */
        { 1.01, 3.1e-5, "gpu", false },     { 1.003, 3.1e-6, "gpu", false },
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        struct gcal_error err = { 0 };
        int rc;

        set_up(state);
        for (int i = 0; i < 5; i++)
            add_kernel("k", 100 + i, false, cases[k].shortest_s * pow(2, i), STEADY);
        options.min_time_s = 1e-7;
        device.rate = cases[k].rate;
        device.type = (char *)cases[k].type;
        if ((rc = run(&err)) != (cases[k].wrong ? -1 : 0))
            fail_msg("case %zu: %d, %s", k, rc, err.text);
        if (cases[k].wrong) {
            assert_int_equal(err.code, GCAL_EDEVICE);
            assert_non_null(strstr(err.text, "its clock is wrong"));
        }
        assert_int_equal(n_sunk, 5); /* the record has what was seen */
        gcal_kernel_list_clear(&list);
    }
}

/* Of kernels of 5 sizes, the events of the last ones, or the first ones, contradict the host's. */
static void a_clock_that_counts_too_much_is_found(void **state)
{
    for (int n_bad = 2; n_bad <= 4; n_bad++)
        for (int last = 0; last <= 1; last++) {
            struct gcal_error err = { 0 };
            int rc;

            set_up(state);
            for (int i = 0; i < 5; i++)
                add_kernel("k", 100 + i, false, 3.1e-3 * pow(2, i),
                           (last ? i >= 5 - n_bad : i < n_bad) ? BAD_EVENTS : STEADY);
            rc = run(&err);
            assert_int_equal(rc, last && n_bad > 2 ? -1 : 0);
            if (rc < 0)
                assert_non_null(strstr(err.text, "its clock is wrong"));
            assert_int_equal(n_sunk, 5);
            gcal_kernel_list_clear(&list);
        }
}

/* Launches through a network, or on a host that has much to do. */
static void launches_may_take_long(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    for (int i = 0; i < 5; i++)
        add_kernel("k", 100 + i, false, 0.31e-3 * pow(2, i), STEADY);
    device.gap_s = 12e-3;
    device.rate = 1.015;
    assert_int_equal(run(&err), 0);
}

static void a_device_that_takes_turns_is_given_up(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    options.budget_s = 2;
    device.late_from = 70;
    device.late_to = SIZE_MAX;
    device.busy[2] = 0.4;
    assert_int_equal(run(&err), -1);
    assert_non_null(strstr(err.text, "in use by others, for 40 % of the time"));
}

/* With some drivers. */
static void a_device_that_is_always_late_is_measured(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_disturbed();
    options.budget_s = 4;
    device.late_to = SIZE_MAX;
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++)
        assert_int_equal(sunk[i].n_samples, 16);
}

/* It has samples when the verdict comes, and is not finished. */
static void samples_before_the_verdict_do_not_count(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_kernel("wrong", 64, false, 2e-3, WRONG_TWO_SPEEDS);
    add_kernel("right", 64, false, 1e-2, STEADY); /* to warm up with */
    device.type = (char *)"gpu";
    device.until_measured = 5;
    options.budget_s = 20;
    assert_int_equal(run(&err), 0);
    assert_non_null(strstr(device.visits, "wrong n:64"));
    assert_int_equal(row("wrong n:64")->status, GCAL_MEASUREMENT_WRONG_RESULT);
    assert_int_equal(row("wrong n:64")->n_samples, 0);
    assert_int_equal(row("wrong n:64")->stop, GCAL_MEASUREMENT_STOP_NONE);
}

/* It is given up while verdicts are pending. */
static void a_device_is_lost_before_the_verdict(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    device.type = (char *)"gpu";
    for (int i = 0; i < 8; i++) {
        char name[] = { (char)('a' + i), '\0' };

        add_kernel(name, 64, false, 2e-3, i ? DIES : STEADY);
    }
    device.until_deaths = 3;
    assert_int_equal(run(&err), -1);
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_non_null(strstr(err.text, "was given up"));
    if (row("a n:64"))
        assert_true(row("a n:64")->checked);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stops_when_the_median_is_known),
        TEST(stops_when_more_samples_do_not_help),
        TEST(stops_at_the_most_samples),
        TEST(stops_when_the_samples_took_enough),
        TEST(a_kernel_has_its_share_of_the_budget),
        TEST(the_budget_ends_it),
        TEST(waiting_for_processors_costs_no_budget),
        TEST(a_worker_may_wait_for_processors_as_it_starts),
        TEST(a_kernel_that_hangs_costs_its_row),
        TEST(three_deaths_in_a_row_give_the_device_up),
        TEST(deaths_between_successes_do_not),
        TEST(the_order_is_random_and_follows_from_the_seed),
        TEST(a_sweep_keeps_its_longest_sizes),
        TEST(a_size_that_was_measured_counts),
        TEST(a_sweep_that_does_not_fit_is_recorded),
        TEST(a_sweep_without_a_size_in_range_keeps_the_nearest),
        TEST(a_size_too_short_for_the_clock_does_not_end_the_sweep),
        TEST(a_wrong_kernel_is_not_measured),
        TEST(a_resumed_run_leaves_out_what_is_done),
        TEST(a_sink_that_fails_ends_it),
        TEST(kernels_are_announced),
        TEST(its_use_is_reported),
        TEST(the_host_computes_beside_the_device),
        TEST(a_disturbance_is_waited_out),
        TEST(turns_with_another_program_are_waited_out),
        TEST(a_clock_that_is_wrong_is_found),
        TEST(a_clock_that_counts_too_much_is_found),
        TEST(launches_may_take_long),
        TEST(a_device_that_takes_turns_is_given_up),
        TEST(a_device_that_is_always_late_is_measured),
        TEST(a_device_that_stays_slow_is_measured),
        TEST(a_device_in_use_is_given_up),
        TEST(a_device_that_is_idle_soon_is_awaited),
        TEST(a_device_that_is_taken_is_given_up),
        TEST(samples_before_the_verdict_do_not_count),
        TEST(a_device_is_lost_before_the_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
