/* test_measurement.c - encodings of devices, kernels and measurements */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"

static struct gcal_measurement_sample samples[] = {
    { 2.385e-6, 9.17e-6, 41, 1.755e9, 43.5, 4 },
    { 2.391e-6, 9.02e-6, 43, NAN, NAN, 0 },
};

static const struct gcal_measurement measurement = {
    .node = "n1",
    .device_uid = "uuid:7f",
    .kernel_id = "k713",
    .status = GCAL_MEASUREMENT_WRONG_RESULT,
    .stop = GCAL_MEASUREMENT_STOP_STABLE,
    .detail = "element 713 differs",
    .n_warmup = 3,
    .n_samples = 2,
    .samples = samples,
    .checked = true,
    .worst_difference = 0.2385,
    .built = { 116, 616, 256, 32 },
};

static void keeps_a_measurement(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_measurement m;
    struct gcal_wire wire;

    (void)state;
    gcal_measurement_put(&buf, &measurement);
    wire = gcal_wire_open(buf.data, buf.size);
    assert_int_equal(gcal_measurement_get(&wire, &m, &err), 0);
    assert_int_equal(gcal_wire_done(&wire, "m", &err), 0);
    assert_string_equal(m.node, "n1");
    assert_string_equal(m.kernel_id, "k713");
    assert_string_equal(m.detail, "element 713 differs");
    assert_int_equal(m.status, GCAL_MEASUREMENT_WRONG_RESULT);
    assert_int_equal(m.stop, GCAL_MEASUREMENT_STOP_STABLE);
    assert_int_equal(m.n_warmup, 3);
    assert_true(m.checked);
    assert_true(m.worst_difference == 0.2385);
    assert_memory_equal(&m.built, &measurement.built, sizeof(m.built));
    assert_int_equal(m.n_samples, 2);
    assert_memory_equal(m.samples, samples, sizeof(samples));
    gcal_measurement_clear(&m);
    gcal_buf_free(&buf);
}

static void keeps_a_device_and_a_kernel(void **state)
{
    char *names[] = { "n", "m" };
    double values[] = { 2048, 713 };
    struct gcal_kernel_use uses[] = { { "a", GCAL_KERNEL_FITTED },
                                      { "b", GCAL_KERNEL_TARGET } };
    struct gcal_run_device device = { .node = "n1", .rank = 5 }, d;
    struct gcal_run_kernel kernel = { .id = "k713",
                                      .source = "kernel void f() {}",
                                      .origin = { .form = GCAL_KERNEL_LOADS,
                                                  .name = "app n:2048" },
                                      .uses = { .n = 2, .items = uses },
                                      .n_sizes = 2,
                                      .size_names = names,
                                      .size_values = values };
    struct gcal_run_kernel k;
    struct gcal_buf buf = { 0 };
    struct gcal_wire wire;

    (void)state;
    device.info.uid = "uuid:7f";
    device.info.compute_units = 132;
    device.info.max_clock_hz = 1.98e9;
    device.info.resident_work_items = 2048;
    device.info.fp64 = true;
    gcal_run_device_put(&buf, &device);
    gcal_run_kernel_put(&buf, &kernel);
    wire = gcal_wire_open(buf.data, buf.size);
    assert_int_equal(gcal_run_device_get(&wire, &d, NULL), 0);
    assert_int_equal(gcal_run_kernel_get(&wire, &k, NULL), 0);
    assert_int_equal(gcal_wire_done(&wire, "both", NULL), 0);
    assert_string_equal(d.info.uid, "uuid:7f");
    assert_string_equal(d.info.pci, ""); /* never NULL for a reader */
    assert_null(d.failure);
    assert_int_equal(d.rank, 5);
    assert_int_equal(d.info.compute_units, 132);
    assert_int_equal(d.info.resident_work_items, 2048);
    assert_true(d.info.max_clock_hz == 1.98e9 && d.info.fp64 && !d.info.fp16);
    assert_string_equal(k.source, "kernel void f() {}");
    assert_int_equal(k.origin.form, GCAL_KERNEL_LOADS);
    assert_string_equal(k.origin.name, "app n:2048");
    assert_string_equal(k.origin.family, "");
    assert_int_equal(k.uses.n, 2);
    assert_true(gcal_kernel_uses_have(&k.uses, "b", GCAL_KERNEL_TARGET));
    assert_false(gcal_kernel_uses_have(&k.uses, "b", GCAL_KERNEL_FITTED));
    assert_string_equal(k.size_names[1], "m");
    assert_true(k.size_values[1] == 713);
    gcal_run_device_clear(&d);
    gcal_run_kernel_clear(&k);
    gcal_buf_free(&buf);
}

static void refuses_every_cut_and_impossible_counts(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_measurement m;
    struct gcal_wire wire;

    (void)state;
    gcal_measurement_put(&buf, &measurement);
    for (size_t size = 0; size < buf.size; size++) {
        wire = gcal_wire_open(buf.data, size);
        assert_int_equal(gcal_measurement_get(&wire, &m, &err), -1);
        assert_null(m.samples);
    }
    assert_int_equal(err.code, GCAL_EINPUT);
    /* The number of samples precedes them. */
    memset(buf.data + buf.size - 2 * 48 - 8, 0xff, 8);
    wire = gcal_wire_open(buf.data, buf.size);
    assert_int_equal(gcal_measurement_get(&wire, &m, &err), -1);
    gcal_buf_free(&buf);
}

static void devices_have_facts(void **state)
{
    struct gcal_device_info info = { .device_type = "gpu",
                                     .compute_units = 132,
                                     .sub_group_size = 32,
                                     .max_work_group_size = 1024,
                                     .local_memory_bytes = 49152,
                                     .cache_bytes = 5e7 };
    struct gcal_binding_device facts = gcal_device_info_facts(&info);

    (void)state;
    assert_true(facts.compute_units == 132 && facts.sub_group_size == 32);
    assert_true(facts.work_items == 1024 && facts.work_groups == 1024);
    assert_true(facts.local_memory_bytes == 49152 && facts.cache_bytes == 5e7);
    info.device_type = "cpu";
    facts = gcal_device_info_facts(&info);
    assert_true(facts.work_groups == 1 && facts.work_items == 32);
    info.resident_work_items = 2048;
    info.resident_work_groups = 32;
    info.unit_local_memory_bytes = 233472;
    assert_true(facts.registers == 0);
    info.unit_registers = 65536;
    info.type = "a-gpu";
    facts = gcal_device_info_facts(&info);
    assert_true(facts.work_items == 2048 && facts.work_groups == 32);
    assert_true(facts.local_memory_bytes == 233472 && facts.registers == 65536);
    assert_string_equal(facts.type, "a-gpu");
    info = (struct gcal_device_info){ 0 };
    facts = gcal_device_info_facts(&info);
    assert_true(facts.compute_units == 1 && facts.work_items == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_have_facts),
        cmocka_unit_test(keeps_a_measurement),
        cmocka_unit_test(keeps_a_device_and_a_kernel),
        cmocka_unit_test(refuses_every_cut_and_impossible_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
