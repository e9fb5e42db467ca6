/* test_turns.c - which measurements devices of a host take in turns */
#include <stdatomic.h>

#include "kernels/base/clock.h"
#include "kernels/base/threads.h"
#include "calib/plan/private.h"
#include "tests/unit.h"

static struct gcal_plan_turns *turns;
static atomic_int n_inside, most_inside;
static bool awaits_company; /* nobody leaves before two are inside */

/* A thread measures a row a hundred times. */
static void *measure(void *context)
{
    for (int i = 0; i < 100; i++) {
        bool has_turn = gcal_plan_turns_take(turns, context);
        int inside = atomic_fetch_add(&n_inside, 1) + 1, most = atomic_load(&most_inside);

        while (inside > most &&
               !atomic_compare_exchange_weak(&most_inside, &most, inside))
            ;
        do
            gcal_clock_sleep_s(100e-6);
        while (awaits_company && atomic_load(&most_inside) < 2);
        atomic_fetch_sub(&n_inside, 1);
        if (has_turn)
            gcal_plan_turns_give(turns);
    }
    return NULL;
}

/* How many of three threads measure the kernel at the same time. */
static int at_once(const struct gcal_kernel *kernel, double first_s)
{
    struct gcal_plan_row row = { .kernel = kernel, .first_s = first_s };
    struct gcal_thread *threads[3];

    atomic_store(&most_inside, 0);
    for (int i = 0; i < 3; i++)
        assert_non_null(threads[i] = gcal_thread_start(measure, &row, NULL));
    for (int i = 0; i < 3; i++)
        gcal_thread_join(threads[i]);
    return atomic_load(&most_inside);
}

static void turns_are_for_what_others_disturb(void **state)
{
    const struct gcal_kernel kernel = { .timing = GCAL_TIMING_EVENT };
    const struct gcal_kernel launches = { .timing = GCAL_TIMING_HOST };
    const struct gcal_kernel copy = { .timing = GCAL_TIMING_EVENT,
                                      .transfer.way = GCAL_FEATURE_TO_DEVICE };

    (void)state;
    awaits_company = true;
    assert_true(at_once(&kernel, 5e-3) > 1);
    awaits_company = false;
    assert_int_equal(at_once(&kernel, 50e-6), 1);
    assert_int_equal(at_once(&launches, 5e-3), 1);
    assert_int_equal(at_once(&copy, 5e-3), 1);
}

/* Of a device alone there are none. */
static void one_device_waits_for_nothing(void **state)
{
    const struct gcal_kernel copy = { .transfer.way = GCAL_FEATURE_TO_DEVICE };
    const struct gcal_plan_row row = { .kernel = &copy, .first_s = 1e-6 };

    (void)state;
    assert_true(!gcal_plan_turns_take(NULL, &row));
}

static int set_up(void **state)
{
    (void)state;
    return (turns = gcal_plan_turns_create()) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_plan_turns_destroy(turns);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_for_what_others_disturb),
        cmocka_unit_test(one_device_waits_for_nothing),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
