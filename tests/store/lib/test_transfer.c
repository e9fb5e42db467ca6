/* test_transfer.c - copies and shares of divided work by libgpucal
 *
 * The model of tests/data/transfers.yaml: see ../predict/test_transfers.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/lib/gpucal.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define MIB 1048576.0

static struct gpucal_device *open_device(const char *folder, const char *node)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(folder, &err);
    struct gpucal_device *device =
        store ? gpucal_device_open(store, node, NULL, &err) : NULL;

    if (!device)
        fail_msg("%s", err.text);
    gpucal_store_close(store);
    return device;
}

static void copies_take_their_time(void **state)
{
    struct gpucal_device *device = open_device(*state, "n1");
    struct gpucal_error err = { 0 };
    struct gpucal_prediction p;

    assert_int_equal(
        gpucal_transfer(device, GPUCAL_TO_DEVICE, GPUCAL_PINNED, MIB, 1, &p, &err), 0);
    assert_true(fabs(p.time_s - (1e-6 + 20e-12 * MIB)) < 1e-12);
    assert_true(p.low_s < p.time_s && p.high_s > p.time_s && !p.outside && !p.roof);
    assert_int_equal(
        gpucal_transfer(device, GPUCAL_TO_DEVICE, GPUCAL_PAGEABLE, MIB, 1, &p, &err), -1);
    assert_non_null(strstr(err.text, "no cost of copies to the device, pageable memory"));
    assert_int_equal(
        gpucal_transfer(device, GPUCAL_TO_DEVICE, GPUCAL_PINNED, 0, 1, &p, &err), -1);
    assert_non_null(strstr(err.text, "0 bytes in 1 copies"));
    assert_int_equal(
        gpucal_transfer(device, GPUCAL_BOTH_DIRECTIONS, GPUCAL_PINNED, MIB, 1, &p, &err),
        -1);
    assert_non_null(strstr(err.text, "both directions at once"));
    assert_int_equal(gpucal_transfer(device, (enum gpucal_direction)3, GPUCAL_PINNED, MIB,
                                     1, &p, &err),
                     -1);
    gpucal_device_close(device);
}

static void shares_get_the_costs_of_their_copies(void **state)
{
    struct gpucal_device *device = open_device(*state, "n1");
    struct gpucal_share share = { .start_s = 7, .transfer_s = 7, .least = 3 };
    struct gpucal_error err = { 0 };

    assert_int_equal(gpucal_share_transfers(&share, device, GPUCAL_PINNED, 100, 10, &err),
                     0);
    assert_true(fabs(share.start_s - 2e-6) < 1e-12);
    assert_true(fabs(share.transfer_s - (100 * 20e-12 + 10 * 40e-12)) < 1e-18);
    assert_true(share.least == 3);
    assert_int_equal(gpucal_share_transfers(&share, device, GPUCAL_PINNED, 0, 10, NULL),
                     0);
    assert_true(fabs(share.start_s - 1e-6) < 1e-12);
    assert_int_equal(gpucal_share_transfers(&share, device, GPUCAL_PINNED, -1, 0, &err),
                     -1);
    assert_int_equal(gpucal_share_transfers(&share, device, GPUCAL_MAPPED, 1, 0, &err),
                     -1);
    assert_true(fabs(share.start_s - 1e-6) < 1e-12); /* as it was */
    gpucal_device_close(device);
}

static void messages_take_their_time(void **state)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(*state, &err);
    struct gpucal_prediction p;

    assert_non_null(store);
    if (gpucal_link(store, "vm", "n2", MIB, &p, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(fabs(p.time_s / (1.043 * (9.1e-6 + (MIB - 65536) * 8.1e-11)) - 1) <
                1e-12);
    assert_true(p.low_s < p.time_s && p.high_s > p.time_s && p.standard_error_s > 0);
    assert_true(!p.extrapolates && p.outside_by == 1 && !p.outside && !p.roof);
    /* The class, of a node that was not measured; beyond what was. */
    assert_int_equal(gpucal_link(store, "vm", "n9", 64 * MIB, &p, &err), 0);
    assert_true(p.extrapolates && p.outside_by == 4);
    assert_int_equal(gpucal_link(store, "vm", "vm", 0, &p, &err), 0);
    assert_true(p.time_s == 3.1e-7);
    assert_int_equal(gpucal_link(store, "vm", "n2", NAN, &p, &err), -1);
    assert_int_equal(err.code, GPUCAL_EINPUT);
    assert_int_equal(gpucal_link(store, "n1", "vm", 8, &p, &err), -1);
    assert_int_equal(err.code, GPUCAL_ENODE);
    assert_non_null(strstr(err.text, "a job of several nodes"));
    assert_int_equal(gpucal_link(store, "../n1", "vm", 8, &p, &err), -1);
    gpucal_store_close(store);
}

static int setup(void **state)
{
    const char *path;
    size_t size;
    char *text;

    sample_setup(state);
    assert_int_equal(mkdir(sample_path(*state, "nodes"), 0755), 0);
    text = sample_file_read(TEST_DATA "/transfers.yaml", &size);
    path = sample_path(*state, "nodes/n1.yaml");
    sample_file_write(path, text, size);
    assert_int_equal(chmod(path, 0644), 0);
    free(text);
    assert_int_equal(mkdir(sample_path(*state, "links"), 0755), 0);
    text = sample_file_read(TEST_DATA "/links.yaml", &size);
    path = sample_path(*state, "links/vm.yaml");
    sample_file_write(path, text, size);
    assert_int_equal(chmod(path, 0644), 0);
    free(text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_take_their_time),
        cmocka_unit_test(shares_get_the_costs_of_their_copies),
        cmocka_unit_test(messages_take_their_time),
    };

    return cmocka_run_group_tests(tests, setup, sample_teardown);
}
