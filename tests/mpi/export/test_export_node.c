/* test_export_node.c - what an export says of a node as a whole */
#include <math.h>
#include <stdbool.h>

#include "mpi/commands/export/speed.h"
#include "tests/unit.h"

static struct gcal_export_speed_device device(bool is_gpu, double memory, double fp32)
{
    return (struct gcal_export_speed_device){ .is_gpu = is_gpu,
                                              .memory_bytes_per_s = memory,
                                              .fp32_flop_per_s = fp32 };
}

static struct gcal_export_rates rates(struct gcal_export_speed_device *devices, size_t n)
{
    return gcal_export_speed_rates(
        &(struct gcal_export_speed_node){ .devices = devices, .n_devices = n });
}

static void rates_are_of_the_slowest_gpu(void **state)
{
    struct gcal_export_speed_device of[] = { device(false, 0.1e12, NAN),
                                             device(true, 4.7e12, 61e12),
                                             device(true, 3.2e12, 65e12) };
    struct gcal_export_rates r = rates(of, 3);

    (void)state;
    assert_float_equal(r.memory_bytes_per_s, 3.2e12, 0);
    assert_float_equal(r.fp32_flop_per_s, 61e12, 0);
    r = rates(of, 1);
    assert_float_equal(r.memory_bytes_per_s, 0.1e12, 0);
    assert_true(isnan(r.fp32_flop_per_s));
}

static void an_unknown_rate_is_not_left_out(void **state)
{
    struct gcal_export_speed_device of[] = { device(true, 4.7e12, 61e12),
                                             device(true, NAN, 65e12) };

    (void)state;
    assert_true(isnan(rates(of, 2).memory_bytes_per_s));
    assert_float_equal(rates(of, 2).fp32_flop_per_s, 61e12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_of_the_slowest_gpu),
        cmocka_unit_test(an_unknown_rate_is_not_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
