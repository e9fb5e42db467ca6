/* test_tune_search.c - searches on made-up spaces */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "mpi/commands/tune/search.h"

/* Work-group sizes, items and a switch.  The model is right but for an error that grows with
 * the items, and does not know that the switch doubles the time.
 */
enum { N_GROUPS = 12, N_ITEMS = 8, N = N_GROUPS * N_ITEMS * 2, FAILING = 20, WRONG = 21 };

static char texts[N_GROUPS + N_ITEMS + 2][8];
static const char *values[N_GROUPS + N_ITEMS + 2];
static char names[N][32];
static size_t positions[N][3];
static double true_s[N];
static size_t ranking[N];
static struct gcal_tune_parameter parameters[3];
static struct gcal_tune_config configs[N];
static struct gcal_tune_space space = { .kernel = "made up",
                                        .n_parameters = 3,
                                        .parameters = parameters,
                                        .n_configs = N,
                                        .configs = configs,
                                        .ranking = ranking };

static void set_parameter(size_t i, char *name, size_t n, size_t first)
{
    parameters[i] = (struct gcal_tune_parameter){ .name = name,
                                                  .n_values = n,
                                                  .values = values + first };
}

static void set_config(size_t i)
{
    size_t group = i / (2 * N_ITEMS), item = i / 2 % N_ITEMS, other = i % 2;
    double compute_s = 1e-3 * (1 + pow((double)group - 7, 2) / 20);
    double memory_s = 0.9e-3 * (1 + pow((double)item - 3, 2) / 12);

    positions[i][0] = group;
    positions[i][1] = item;
    positions[i][2] = other;
    snprintf(names[i], sizeof(names[i]), "G:%s I:%s S:%s", values[group],
             values[N_GROUPS + item], values[N_GROUPS + N_ITEMS + other]);
    configs[i] = (struct gcal_tune_config){ .values = positions[i],
                                            .name = names[i],
                                            .predicted_s = fmax(compute_s, memory_s) };
    true_s[i] = configs[i].predicted_s * exp(0.12 * (double)item - 0.3) * (other ? 1 : 2);
}

static int by_prediction(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    double x_s = configs[x].predicted_s, y_s = configs[y].predicted_s;

    return x_s != y_s ? (x_s > y_s) - (x_s < y_s) : (x > y) - (x < y);
}

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GROUPS + N_ITEMS + 2; i++) {
        values[i] = texts[i];
        snprintf(texts[i], sizeof(texts[i]), "%zu",
                 i < N_GROUPS             ? 64 * (i + 1)
                 : i < N_GROUPS + N_ITEMS ? i - N_GROUPS
                                          : i - N_GROUPS - N_ITEMS);
    }
    set_parameter(0, "G", N_GROUPS, 0);
    set_parameter(1, "I", N_ITEMS, N_GROUPS);
    set_parameter(2, "S", 2, N_GROUPS + N_ITEMS);
    for (size_t i = 0; i < N; i++) {
        set_config(i);
        ranking[i] = i;
    }
    qsort(ranking, N, sizeof(*ranking), by_prediction);
    return 0;
}

static double shortest(void)
{
    double best = INFINITY;

    for (size_t i = 0; i < N; i++)
        if (i != FAILING && i != WRONG)
            best = fmin(best, true_s[i]);
    return best;
}

/* ---- a source ---- */

static struct {
    size_t n, asked[N], n_announced;
    int left; /* times until the device is lost; negative: never */
} device;

static void announce(void *context, const size_t *announced, size_t n)
{
    (void)context;
    assert_true(n > 0 && announced[0] < N);
    device.n_announced += n;
}

static int give(void *context, size_t config, double enough_s,
                struct gcal_tune_time *time, struct gcal_error *err)
{
    (void)context;
    if (device.left-- == 0)
        return gcal_error_set(err, GCAL_EDEVICE, "lost");
    device.n++;
    assert_int_equal(++device.asked[config], 1); /* none twice */
    *time = (struct gcal_tune_time){ .seconds = true_s[config], .launches = 3 };
    if (config == FAILING || config == WRONG) {
        time->outcome = config == FAILING ? GCAL_TUNE_FAILED : GCAL_TUNE_WRONG;
        time->seconds = 1e-9;
        time->why = "made up";
    } else if (true_s[config] > enough_s)
        time->outcome = GCAL_TUNE_ABANDONED;
    return 0;
}

static const struct gcal_tune_search_options defaults = { .most = SIZE_MAX,
                                                          .budget_s = INFINITY };
static const struct gcal_tune_source source = { announce, give, NULL };

static int search(const struct gcal_tune_search_options *options,
                  struct gcal_tune_times *times, struct gcal_tune_progress *progress,
                  struct gcal_error *err)
{
    memset(&device, 0, sizeof(device));
    device.left = -1;
    return gcal_tune_search(&space, &source, options, NULL, times, progress, err);
}

static struct gcal_arena *arena;

static void begin(struct gcal_tune_times *times)
{
    arena = gcal_arena_create();
    *times = gcal_tune_times_create(arena, &space);
}

/* ---- tests ---- */

static void finds_the_best_and_stops(void **state)
{
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;

    (void)state;
    begin(&times);
    assert_int_equal(search(&defaults, &times, &progress, NULL), 0);
    assert_int_equal(progress.stop, GCAL_TUNE_STOP_PATIENCE);
    assert_true(shortest() / progress.best_s > 0.98);
    assert_true(progress.n_asked < N / 4);
    assert_true(device.n_announced > progress.n_asked);
    gcal_arena_destroy(arena);
}

static void never_chooses_what_fails_or_is_wrong(void **state)
{
    struct gcal_tune_search_options options = defaults;
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;

    (void)state;
    options.patient = true;
    begin(&times);
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(progress.stop, GCAL_TUNE_STOP_ALL);
    assert_int_equal(progress.n_asked, N);
    assert_int_equal(progress.n_failed, 1);
    assert_int_equal(progress.n_wrong, 1);
    assert_true(progress.n_abandoned > 0);
    assert_float_equal(progress.best_s, shortest(), 1e-12);
    gcal_arena_destroy(arena);
}

static void goes_on_from_earlier_times(void **state)
{
    struct gcal_tune_search_options options = defaults;
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;

    (void)state;
    options.most = 4;
    begin(&times);
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(progress.stop, GCAL_TUNE_STOP_MOST);
    assert_int_equal(device.n, 4);
    options.most = 7;
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(device.n, 3); /* the four are known */
    assert_int_equal(progress.n_asked, 7);
    gcal_arena_destroy(arena);
}

static void takes_all_in_the_order_of_predictions(void **state)
{
    struct gcal_tune_search_options options = defaults;
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;
    double worst_s = 0, best_left_s = INFINITY;

    (void)state;
    options.patient = options.to_the_end = true;
    options.most = 30;
    begin(&times);
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(progress.n_asked, 30);
    assert_int_equal(progress.n_abandoned, 0);
    for (size_t i = 0; i < N; i++)
        if (times.asked[i])
            worst_s = fmax(worst_s, configs[i].predicted_s);
        else
            best_left_s = fmin(best_left_s, configs[i].predicted_s);
    assert_true(worst_s <= best_left_s);
    gcal_arena_destroy(arena);
}

static void ends_at_a_limit(void **state)
{
    struct gcal_tune_search_options options = defaults;
    static const volatile sig_atomic_t interrupted = 1;
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;

    (void)state;
    begin(&times);
    options.budget_s = 0;
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(progress.stop, GCAL_TUNE_STOP_BUDGET);
    options.interrupted = &interrupted;
    assert_int_equal(search(&options, &times, &progress, NULL), 0);
    assert_int_equal(progress.stop, GCAL_TUNE_STOP_INTERRUPTED);
    assert_int_equal(progress.n_asked, 0);
    assert_int_equal(progress.best, N);
    gcal_arena_destroy(arena);
}

static void keeps_what_it_has_when_the_device_is_lost(void **state)
{
    struct gcal_tune_progress progress;
    struct gcal_tune_times times;
    struct gcal_error err = { 0 };

    (void)state;
    begin(&times);
    memset(&device, 0, sizeof(device));
    device.left = 3;
    assert_int_equal(
        gcal_tune_search(&space, &source, &defaults, NULL, &times, &progress, &err), -1);
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_int_equal(progress.n_asked, 3);
    gcal_arena_destroy(arena);
}

static void replays_known_times(void **state)
{
    struct gcal_tune_replay replay;
    struct gcal_tune_times times;
    size_t first = 0;

    (void)state;
    begin(&times);
    for (size_t i = 1; i < N; i++) {
        struct gcal_tune_time time = { .seconds = true_s[i] };

        if (i == FAILING || i == WRONG)
            time = (struct gcal_tune_time){ .outcome = GCAL_TUNE_FAILED };
        gcal_tune_times_set(&times, i, &time);
    }
    assert_int_equal(gcal_tune_replay(&space, &times, &replay, NULL), 0);
    assert_int_equal(replay.n, N - 3); /* one is not in the file */
    assert_int_equal(replay.n_failed, 2);
    assert_float_equal(replay.best_s, shortest(), 1e-12);
    for (size_t i = 1; i < N; i++)
        if (!(configs[first].predicted_s <= configs[i].predicted_s))
            first = i;
    assert_float_equal(replay.search[0], shortest() / true_s[first], 1e-9);
    for (size_t k = 1; k < GCAL_TUNE_REPLAY_N; k++)
        assert_true(replay.search[k] >= replay.search[k - 1] && replay.search[k] <= 1);
    assert_true(replay.search[3] > 0.97);
    assert_true(replay.stopped_at > 0.98);
    gcal_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_best_and_stops),
        cmocka_unit_test(never_chooses_what_fails_or_is_wrong),
        cmocka_unit_test(goes_on_from_earlier_times),
        cmocka_unit_test(takes_all_in_the_order_of_predictions),
        cmocka_unit_test(ends_at_a_limit),
        cmocka_unit_test(keeps_what_it_has_when_the_device_is_lost),
        cmocka_unit_test(replays_known_times),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
