/* test_catalogue_run.c - 'run' and 'transfer' of catalogue entries: reading, ids, sizes
 * and counts
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/generate/generate.h"
#include "tests/folder.h"

static int make_folder(void **state)
{
    if (folder_make(state) < 0)
        return -1;
    folder_write("k.cl",
                 "__kernel void k(__global float *x)\n"
                 "{\n    __local float s[32];\n"
                 "    s[get_local_id(0)] = 1;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "    x[get_global_id(0)] = s[31 - get_local_id(0)];\n}\n");
    return 0;
}

#define KERNEL                                                                           \
    "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"                \
    "arguments:\n  often: [1, 7]\n  n: {size: [64]}\n  m: {size: [3]}\n"                 \
    "local_size: [32]\nglobal_size: [n]\n"                                               \
    "args: [{name: x, buffer: float32, elements: n, output: true}]\n"                    \
    "assume: n % 32 = 0 and n >= 32\ncheck: {n: 32, m: 2}\n"

#define TRANSFER                                                                         \
    "gpucal_kernel: 1\nname: one\ntags: [red]\n"                                         \
    "arguments:\n  memory: [pageable, pinned]\n  n: {size: [64]}\n  m: {size: [4]}\n"    \
    "assume: n >= 8\ncheck: {n: 8, m: 2}\n"

/* The kernels of one entry at its defaults; -1 with 'err'. */
static int generate(const char *text, struct gcal_kernel_list *list,
                    struct gcal_error *err)
{
    const char *const tags[] = { "red" };
    struct gcal_catalogue *catalogue;
    int rc = -1;

    *list = (struct gcal_kernel_list){ 0 };
    *err = (struct gcal_error){ 0 };
    folder_write("one.yaml", text);
    if ((catalogue = gcal_catalogue_open(folder, err)))
        rc = gcal_catalogue_generate(catalogue, 1, tags, GCAL_MATCH_SUPERSET, 0, list,
                                     err);
    if (rc == 0)
        rc = gcal_kernel_list_check(list, err);
    gcal_catalogue_close(catalogue);
    return rc;
}

static struct gcal_kernel_list kernels_of(const char *text)
{
    struct gcal_kernel_list list;
    struct gcal_error err;

    if (generate(text, &list, &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

static double value_of(const struct gcal_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        if (strcmp(kernel->sizes[i].name, name) == 0)
            return kernel->sizes[i].value;
    fail_msg("no size %s", name);
    return 0;
}

/* A feature's count at the kernel's sizes. */
static double count(const struct gcal_kernel *kernel, const char *feature)
{
    const struct gcal_profile *p = kernel->profile;
    struct gcal_error err = { 0 };
    struct gcal_binding *binding = gcal_binding_create(p, 1, &feature, 32, &err);
    double sizes[8], value = -1;

    assert_true(p->n_parameters <= 8);
    for (size_t i = 0; i < p->n_parameters; i++)
        sizes[i] = value_of(kernel, p->parameters[i]);
    if (!binding || gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", feature, err.text);
    gcal_binding_destroy(binding);
    return value;
}

static void expect(const struct gcal_kernel *kernel, const char *feature, double value)
{
    assert_float_equal(count(kernel, feature), value, 1e-9);
}

/* ---- launches ---- */

static void counts_are_of_all_launches(void **state)
{
    struct gcal_kernel_list list = kernels_of(KERNEL "run: {launches: often*m+1}\n");
    const struct gcal_kernel *k = list.kernels[1]; /* 22 launches */
    struct gcal_geometry geometry;

    (void)state;
    assert_int_equal(list.n_kernels, 2);
    assert_string_equal(k->launches, "7*m+1");
    assert_int_equal(k->timing, GCAL_TIMING_EVENT);
    assert_int_equal(gcal_kernel_geometry(k, k->n_sizes, k->sizes, &geometry, NULL), 0);
    assert_int_equal(geometry.launches, 22);
    gcal_kernel_geometry_clear(&geometry);
    expect(k, "f_sync_kernel_launch", 22);
    expect(k, "f_thread_groups", 44);
    expect(k, "f_work_items", 22 * 64);
    expect(k, "f_sync_barrier_local", 22);
    expect(k, "f_mem_access_global_float32_store", 22 * 64);
    expect(k, "f_local_memory_bytes", 128); /* of one work-group */
    gcal_kernel_list_clear(&list);
}

static void one_launch_is_the_default(void **state)
{
    struct gcal_kernel_list plain = kernels_of(KERNEL);
    struct gcal_kernel_list once = kernels_of(KERNEL "run: {launches: 1}\n");
    struct gcal_kernel_list host = kernels_of(KERNEL "run: {timing: host}\n");
    char *a = gcal_profile_encode(plain.kernels[0]->profile, NULL);
    char *b = gcal_profile_encode(once.kernels[0]->profile, NULL);

    (void)state;
    assert_string_equal(a, b);
    assert_null(plain.kernels[0]->launches);
    assert_int_equal(host.kernels[0]->timing, GCAL_TIMING_HOST);
    assert_string_not_equal(host.kernels[0]->id, plain.kernels[0]->id);
    free(a);
    free(b);
    gcal_kernel_list_clear(&plain);
    gcal_kernel_list_clear(&once);
    gcal_kernel_list_clear(&host);
}

/* ---- transfers ---- */

static void a_transfer_alone_is_a_kernel_without_source(void **state)
{
    struct gcal_kernel_list list = kernels_of(
        TRANSFER "transfer: {direction: from_device, memory: memory, bytes: 4*n, pieces: "
                 "m}\n");
    const struct gcal_kernel *pageable = list.kernels[0], *pinned = list.kernels[1];
    struct gcal_geometry geometry;

    (void)state;
    assert_int_equal(list.n_kernels, 2);
    assert_true(gcal_kernel_is_transfer(pinned));
    assert_string_equal(pinned->source, "");
    assert_int_equal(pinned->transfer.way, GCAL_FEATURE_FROM_DEVICE);
    assert_int_equal(pinned->transfer.host, GCAL_FEATURE_PINNED);
    assert_int_equal(pinned->timing, GCAL_TIMING_EVENT);
    assert_int_equal(pageable->timing, GCAL_TIMING_HOST);
    assert_string_not_equal(pageable->id, pinned->id);
    assert_int_equal(
        gcal_kernel_geometry(pinned, pinned->n_sizes, pinned->sizes, &geometry, NULL), 0);
    assert_int_equal(geometry.launches, 0);
    assert_int_equal(geometry.transfer_bytes, 256);
    assert_int_equal(geometry.transfer_pieces, 4);
    assert_true(geometry.total_bytes == 256);
    gcal_kernel_geometry_clear(&geometry);
    expect(pinned, "f_transfer_bytes_from_device_pinned", 256);
    expect(pinned, "f_transfer_copies", 4);
    expect(pinned, "f_transfer_bytes_to_device", 0);
    expect(pinned, "f_sync_kernel_launch", 0);
    expect(pageable, "f_transfer_bytes_pageable", 256);
    gcal_kernel_list_clear(&list);
}

static void a_transfer_beside_a_kernel_adds_its_counts(void **state)
{
    struct gcal_kernel_list list =
        kernels_of(KERNEL "run: {launches: often-1}\n"
                          "transfer: {direction: to_device, memory: mapped, bytes: m}\n");
    const struct gcal_kernel *none = list.kernels[0], *six = list.kernels[1];

    (void)state;
    assert_false(gcal_kernel_is_transfer(none));
    assert_int_equal(none->timing, GCAL_TIMING_EVENT); /* the kernel's enclose it */
    expect(none, "f_sync_kernel_launch", 0);
    expect(none, "f_transfer_bytes_to_device_mapped", 3);
    expect(six, "f_sync_kernel_launch", 6);
    expect(six, "f_transfer_copies", 1);
    gcal_kernel_list_clear(&list);
}

/* ---- errors ---- */

static void errors_say_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        { KERNEL "run: {launches: k}\n", "'k' is not a size" },
        { KERNEL "run: {launches: m/2}\n", "launches, 'm/2', is 1.5" },
        { KERNEL "run: {launches: 0}\n", "launches no kernel and copies nothing" },
        { KERNEL "run: {launches: 1000001}\n", "expected an integer from 0 to 1e+06" },
        { KERNEL "run: {timing: watch}\n",
          "timing: expected one of event, host, found 'watch'" },
        { KERNEL "run: {timings: host}\n", "timings" },
        { TRANSFER, "'source' is missing" },
        { TRANSFER "transfer: {memory: pinned, bytes: n}\n", "'direction' is missing" },
        { TRANSFER "transfer: {direction: up, memory: pinned, bytes: n}\n",
          "expected one of to_device, from_device, both, found 'up'" },
        { TRANSFER "transfer: {direction: to_device, memory: any, bytes: n}\n",
          "expected one of pageable, pinned, mapped, found 'any'" },
        { TRANSFER "transfer: {direction: to_device, memory: pinned}\n",
          "'bytes' is missing" },
        { TRANSFER
          "transfer: {direction: to_device, memory: pinned, bytes: n, pieces: 3}\n",
          "do not divide into 3 equal pieces" },
        { TRANSFER "transfer: {direction: to_device, memory: mapped, bytes: n}\n"
                   "run: {timing: event}\n",
          "events do not cover the host's part of copying mapped memory" },
        { TRANSFER "transfer: {direction: to_device, memory: pinned, bytes: n}\n"
                   "run: {launches: 2}\n",
          "launches: a transfer without a kernel" },
        { TRANSFER "transfer: {direction: to_device, memory: pinned, bytes: n}\n"
                   "args: []\n",
          "args: a transfer without a kernel" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_kernel_list list;
        struct gcal_error err;

        assert_int_equal(generate(bad[i].text, &list, &err), -1);
        assert_int_equal(err.code, GCAL_EINPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
        gcal_kernel_list_clear(&list);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_of_all_launches),
        TEST(one_launch_is_the_default),
        TEST(a_transfer_alone_is_a_kernel_without_source),
        TEST(a_transfer_beside_a_kernel_adds_its_counts),
        TEST(errors_say_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
