/* test_health.c - the judgement on a check: which resource lost how much, and what is no loss */
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"

static const struct gcal_health_policy policy = { .fail = 0.1, .warn = 0.03 };

/* Twelve checks that differ by up to 0.05 %, without memory: the same numbers in each run. */
static size_t make_past(struct gcal_health_reading *past, size_t n, double scatter)
{
    static const double steps[] = { 0,    1,   -1,   0.5, -0.3, 0.8,
                                    -0.9, 0.2, -0.6, 0.4, 0.1,  -0.2 };

    memset(past, 0, n * sizeof(*past));
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < GCAL_HEALTH_N; r++)
            past[i].x[r] = -7.0 - (double)r + scatter * steps[(i + 5 * r) % 12];
    return n;
}

static struct gcal_health_reading level(void)
{
    struct gcal_health_reading now = { 0 };

    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        now.x[r] = -7.0 - (double)r;
    return now;
}

static size_t count_off(const struct gcal_health_finding *found)
{
    size_t n = 0;

    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        n += found[r].off;
    return n;
}

static void finds_one_per_cent_in_one_cost(void **state)
{
    struct gcal_health_reading past[10], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];

    (void)state;
    make_past(past, 10, 0.0005);
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
    now.x[GCAL_HEALTH_MEMORY] += log(1.01);
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 1);
    assert_true(found[GCAL_HEALTH_MEMORY].off && !found[GCAL_HEALTH_MEMORY].is_failure);
    assert_true(fabs(found[GCAL_HEALTH_MEMORY].loss - 0.01) < 0.0005);
    assert_true(found[GCAL_HEALTH_MEMORY].error < 0.002);
    now.x[GCAL_HEALTH_MEMORY] += log(1.1);
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_true(found[GCAL_HEALTH_MEMORY].is_failure);
    /* Faster is no loss. */
    now.x[GCAL_HEALTH_MEMORY] -= 1;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
}

static void says_nothing_without_a_reference(void **state)
{
    struct gcal_health_reading past[4], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];

    (void)state;
    make_past(past, 4, 0.0005);
    now.x[GCAL_HEALTH_MEMORY] += 1;
    gcal_health_judge(past, 4, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
    assert_true(isnan(found[GCAL_HEALTH_MEMORY].loss));
}

/* Noise that the device has shown is none of its losses. */
static void noise_raises_the_limit(void **state)
{
    struct gcal_health_reading past[10], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];

    (void)state;
    make_past(past, 10, 0.02);
    now.x[GCAL_HEALTH_MEMORY] += 0.05;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
    assert_true(found[GCAL_HEALTH_MEMORY].limit > 0.05);
}

/* The heat of an afternoon: 2 % of the clock, and of all that runs at it. */
static void the_clock_explains_what_runs_at_it(void **state)
{
    struct gcal_health_reading past[10], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];

    (void)state;
    make_past(past, 10, 0.0005);
    for (size_t r = 0; r <= GCAL_HEALTH_LAUNCH; r++)
        now.x[r] += 0.02;
    now.x[GCAL_HEALTH_CLOCK] += 0.02;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
    assert_true(fabs(found[GCAL_HEALTH_ARITHMETIC].explained - 0.02) < 0.001);
    /* A clock that is stuck is a loss, and the only one. */
    for (size_t r = 0; r <= GCAL_HEALTH_LAUNCH; r++)
        now.x[r] += 0.2;
    now.x[GCAL_HEALTH_CLOCK] += 0.2;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 1);
    assert_true(found[GCAL_HEALTH_CLOCK].is_failure);
    /* Arithmetic alone, at the same clock. */
    now = level();
    now.x[GCAL_HEALTH_ARITHMETIC] += 0.01;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_true(found[GCAL_HEALTH_ARITHMETIC].off && count_off(found) == 1);
    /* Where nobody tells the clock, arithmetic is it. */
    for (size_t i = 0; i < 10; i++)
        past[i].x[GCAL_HEALTH_CLOCK] = NAN;
    now.x[GCAL_HEALTH_CLOCK] = NAN;
    now.x[GCAL_HEALTH_CACHE] += 0.01;
    gcal_health_judge(past, 10, &now, &policy, found);
    assert_int_equal(count_off(found), 0);
}

/* 0.5 % is too little for one check, and enough for five. */
static void a_small_loss_lasts(void **state)
{
    struct gcal_health_reading past[40], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];
    size_t n = make_past(past, 30, 0.0005);

    (void)state;
    for (int i = 1; i <= 5; i++) {
        now.x[GCAL_HEALTH_CACHE] = level().x[GCAL_HEALTH_CACHE] + 0.005;
        gcal_health_judge(past, n, &now, &policy, found);
        assert_int_equal(count_off(found), i == 5);
        past[n++] = now;
    }
    assert_true(found[GCAL_HEALTH_CACHE].lasting);
}

/* What was off in several checks is no reference; what was off once was noise. */
static void a_loss_does_not_become_the_reference(void **state)
{
    struct gcal_health_reading past[40], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];
    size_t n = make_past(past, 10, 0.0005);

    (void)state;
    now.x[GCAL_HEALTH_MEMORY] += 0.02;
    for (int i = 0; i < 20; i++) {
        gcal_health_judge(past, n, &now, &policy, found);
        assert_true(found[GCAL_HEALTH_MEMORY].off);
        past[n] = now;
        past[n++].off[GCAL_HEALTH_MEMORY] = true;
    }
    n = make_past(past, 10, 0.0005);
    past[n] = now;
    past[n++].off[GCAL_HEALTH_MEMORY] = true;
    past[n++] = level();
    gcal_health_judge(past, n, &now, &policy, found);
    assert_false(found[GCAL_HEALTH_MEMORY].off);
}

static void is_placed_in_its_type(void **state)
{
    struct gcal_health_reading others[20], now = level();
    struct gcal_health_finding found[GCAL_HEALTH_N];

    (void)state;
    make_past(others, 20, 0.002);
    gcal_health_judge(others, 0, &now, &policy, found);
    now.x[GCAL_HEALTH_FROM_DEVICE] += 0.5;
    now.x[GCAL_HEALTH_TO_DEVICE] += 0.02;
    gcal_health_judge_type(others, 20, &now, &policy, found);
    assert_true(found[GCAL_HEALTH_FROM_DEVICE].by_type &&
                found[GCAL_HEALTH_FROM_DEVICE].is_failure);
    assert_false(found[GCAL_HEALTH_TO_DEVICE].by_type);
    assert_true(fabs(found[GCAL_HEALTH_TO_DEVICE].against_type - 0.02) < 0.003);
    /* Of two others nobody knows which one is wrong. */
    gcal_health_judge(others, 0, &now, &policy, found);
    gcal_health_judge_type(others, 2, &now, &policy, found);
    assert_false(found[GCAL_HEALTH_FROM_DEVICE].by_type);
}

/* ---- readings from the lines of a store ---- */

static void a_calibration_accepts_what_was_off(void **state)
{
    static const char *const utc[] = { "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z",
                                       "2026-11-03T00:00:00Z", "2026-11-04T00:00:00Z" };
    struct gcal_arena *arena = gcal_arena_create();
    const struct gcal_device_info info = { .uid = (char *)"pci:1",
                                           .type = (char *)"gpu",
                                           .driver = (char *)"7" };
    struct gcal_health_measured m;
    struct gcal_checks_time times[4];
    struct gcal_checks_line lines[4];
    struct gcal_checks checks = { .n = 4, .lines = lines };
    struct gcal_health_reading *past;

    (void)state;
    gcal_health_begin(&m);
    m.time_s[GCAL_HEALTH_MEMORY] = 1e-3;
    m.kernel[GCAL_HEALTH_MEMORY] = (char *)"abc";
    for (size_t i = 0; i < 4; i++) {
        times[i] = (struct gcal_checks_time){ "memory", "abc", 1e-3, i == 1 || i == 2 };
        lines[i] = (struct gcal_checks_line){
            utc[i], "pci:1", "gpu", gcal_health_epoch(arena, &info), NAN, 1, &times[i]
        };
    }
    assert_int_equal(
        gcal_health_past(arena, &checks, &info, &m, "2026-10-01T00:00:00Z", &past), 4);
    assert_true(past[1].off[GCAL_HEALTH_MEMORY] && past[2].off[GCAL_HEALTH_MEMORY]);
    assert_false(isnan(past[0].x[GCAL_HEALTH_MEMORY]));
    gcal_health_past(arena, &checks, &info, &m, "2026-11-03T12:00:00Z", &past);
    assert_false(past[1].off[GCAL_HEALTH_MEMORY] || past[2].off[GCAL_HEALTH_MEMORY]);
    assert_true(isnan(past[0].x[GCAL_HEALTH_MEMORY]));
    /* Another kernel, device or driver is not compared. */
    times[3].kernel = "abd";
    lines[2].uid = "pci:2";
    lines[1].epoch = "driver 8";
    assert_int_equal(
        gcal_health_past(arena, &checks, &info, &m, "2026-10-01T00:00:00Z", &past), 2);
    assert_true(isnan(past[1].x[GCAL_HEALTH_MEMORY]));
    gcal_arena_destroy(arena);
}

static void a_reference_places_a_device(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_health_reference site, other;
    struct gcal_error err = { 0 };
    size_t n;

    (void)state;
    assert_int_equal(
        gcal_health_reference_parse(
            arena,
            "gpucal_reference 1\ntype\tgpu\ncost\tmemory\tabc\t300\t1\t1\t1\t1\t1\t1\t1"
            "\t1\t1\t1\t1\t1\t1\t1\t2\t3\t4\n",
            "site", &site, &err),
        0);
    assert_int_equal(
        gcal_health_reference_parse(
            arena,
            "gpucal_reference 1\ntype\tgpu\ncost\tmemory\tabc\t100\t5\t5\t5\t5\t5\t5\t5"
            "\t5\t5\t5\t5\t5\t5\t5\t5\t5\t5\n",
            "other", &other, &err),
        0);
    assert_true(
        fabs(gcal_health_reference_slowest(&site, GCAL_HEALTH_MEMORY, "abc", 3, &n) -
             1.0 / 16) < 1e-9);
    assert_int_equal(n, 300);
    /* The slowest of all is one device; another kernel is not known. */
    assert_true(
        fabs(gcal_health_reference_slowest(&site, GCAL_HEALTH_MEMORY, "abc", 9, &n) -
             1.0 / 300) < 1e-9);
    assert_true(
        isnan(gcal_health_reference_slowest(&site, GCAL_HEALTH_MEMORY, "abd", 3, &n)));
    /* A quarter of all is from the other site, and slower. */
    gcal_health_reference_merge(arena, &site, &other);
    assert_int_equal(site.costs[0].n, 400);
    assert_true(fabs(site.costs[0].time_s[16] - 5) < 1e-9);
    assert_true(fabs(site.costs[0].time_s[13] - 5) < 1e-9);
    assert_true(fabs(site.costs[0].time_s[12] - 4) < 1e-9);
    assert_true(fabs(site.costs[0].time_s[8] - 1) < 1e-9);
    gcal_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_one_per_cent_in_one_cost),
        cmocka_unit_test(says_nothing_without_a_reference),
        cmocka_unit_test(noise_raises_the_limit),
        cmocka_unit_test(the_clock_explains_what_runs_at_it),
        cmocka_unit_test(a_small_loss_lasts),
        cmocka_unit_test(a_loss_does_not_become_the_reference),
        cmocka_unit_test(is_placed_in_its_type),
        cmocka_unit_test(a_calibration_accepts_what_was_off),
        cmocka_unit_test(a_reference_places_a_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
