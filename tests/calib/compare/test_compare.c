/* test_compare.c - two records compared: one of an H200 and a CPU, and a copy in which the loads of the
 * H200 take longer.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "calib/compare/compare.h"
#include "kernels/generate/generate.h"
#include "tests/folder.h"

#define RECORD TEST_DATA "/h200/record.h5"
#define FACTOR 1.0419

/* What the copy has otherwise. */
struct change {
    const char *generator; /* whose kernels take longer by FACTOR on GPUs */
    const char *left_out;  /* whose kernels are not there */
    const char *uid;       /* of the GPU; NULL: as it was */
    size_t n_samples;      /* no more of a kernel; 0: all */
};

static struct gcal_catalogue *catalogue;
static struct gcal_arena *arena;

static void copy_devices(const struct gcal_record *from, const struct gcal_run_sink *sink,
                         const struct change *change)
{
    for (size_t i = 0; i < from->n_devices; i++) {
        struct gcal_run_device device = from->devices[i];

        if (change->uid && strcmp(device.info.device_type, "gpu") == 0)
            device.info.uid = (char *)change->uid;
        assert_int_equal(sink->device(sink->context, &device, NULL), 0);
    }
}

/* Mean 0 and standard deviation 1, nearly normal. */
static double normal(uint64_t *random)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)gcal_random_next(random) / 18446744073709551616.0;
    return sum;
}

static void change_samples(struct gcal_measurement *m, double factor, uint64_t *random)
{
    for (size_t i = 0; i < m->n_samples; i++) {
        double noise = 0.002 * normal(random);

        m->samples[i].time_s *= factor * (1 + noise);
        m->samples[i].host_s *= factor * (1 + noise);
    }
}

static void copy_measurement(const struct gcal_record *from, size_t i,
                             const struct gcal_run_sink *sink,
                             const struct change *change, uint64_t *random)
{
    const struct gcal_run_device *device;
    const struct gcal_run_kernel *kernel;
    struct gcal_measurement m = { 0 };
    size_t d, k, n_samples;
    bool gpu;

    assert_int_equal(gcal_record_measurement(from, i, &m, &d, &k, NULL), 0);
    device = &from->devices[d];
    kernel = &from->kernels[k];
    gpu = strcmp(device->info.device_type, "gpu") == 0;
    if (!change->left_out || strcmp(kernel->generator, change->left_out) != 0) {
        change_samples(
            &m, gpu && strcmp(kernel->generator, change->generator) == 0 ? FACTOR : 1,
            random);
        if (gpu && change->uid) {
            free(m.device_uid);
            m.device_uid = strdup(change->uid);
        }
        n_samples = m.n_samples;
        if (change->n_samples && m.n_samples > change->n_samples)
            m.n_samples = change->n_samples;
        assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
        m.n_samples = n_samples;
    }
    gcal_measurement_clear(&m);
}

static struct gcal_record *make_copy(const struct gcal_record *from,
                                     const struct change *change)
{
    char *path = gcal_buf_format("%s/copy.h5", folder);
    struct gcal_record_writer *writer = gcal_record_create(path, NULL);
    struct gcal_run_sink sink = gcal_record_sink(writer);
    struct gcal_record *copy;
    uint64_t random = 17;

    copy_devices(from, &sink, change);
    for (size_t i = 0; i < from->n_kernels; i++)
        assert_int_equal(sink.kernel(sink.context, &from->kernels[i], NULL), 0);
    for (size_t i = 0; i < from->n_measurements; i++)
        copy_measurement(from, i, &sink, change, &random);
    assert_int_equal(gcal_record_finish(writer, from->header, NULL), 0);
    assert_non_null(copy = gcal_record_open(path, NULL));
    free(path);
    return copy;
}

static size_t gpu_of(const struct gcal_compare_records *diff)
{
    size_t i = 0;

    while (strcmp(diff->devices[i].after->info.device_type, "gpu") != 0)
        assert_true(++i < diff->n_devices);
    return i;
}

static const struct gcal_compare_mean *find(const struct gcal_compare_mean *groups,
                                            size_t n, size_t device, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (groups[i].device == device && strcmp(groups[i].name, name) == 0)
            return &groups[i];
    fail_msg("no group %s", name);
    return NULL;
}

static void finds_what_takes_longer(void **state)
{
    struct gcal_record *before = gcal_record_open(RECORD, NULL);
    struct gcal_record *after =
        make_copy(before, &(struct change){ .generator = "gmem_load" });
    const struct gcal_compare_mean *group;
    struct gcal_compare_records diff;
    size_t gpu, differ = 0;

    (void)state;
    assert_int_equal(gcal_compare_records(arena, before, after, catalogue, &diff, NULL),
                     0);
    assert_int_equal(diff.n_devices, 2);
    assert_int_equal(diff.n_kernels, 80);
    assert_int_equal(diff.n_only_before + diff.n_only_after, 0);
    gpu = gpu_of(&diff);
    group = find(diff.generators, diff.n_generators, gpu, "gmem_load");
    assert_true(group->n == 5 && fabs(group->is.ratio / FACTOR - 1) < 0.003);
    assert_true(group->is.low > 1.03 && group->is.high < 1.05);
    for (size_t i = 0; i < diff.n_generators; i++)
        if (&diff.generators[i] != group)
            assert_true(fabs(diff.generators[i].is.ratio - 1) < 0.005);
    /* The loads of products are memory accesses, too, and as fast as they were. */
    group = find(diff.groups, diff.n_groups, gpu, "global memory");
    assert_true(group->n > 5 && group->is.ratio > 1.01 &&
                group->is.ratio < FACTOR - 0.01);
    find(diff.groups, diff.n_groups, gpu, "arithmetic");
    find(diff.groups, diff.n_groups, gpu, "barriers");
    /* The worst of the device come first. */
    for (size_t i = 0; i < diff.n_kernels; i++) {
        const struct gcal_compare_kernel *k = &diff.kernels[i];

        if (k->device == gpu && differ < 5)
            assert_string_equal(diff.kernels[i].generator, "gmem_load");
        differ += k->device == gpu;
    }
    gcal_record_close(before);
    gcal_record_close(after);
}

static void a_record_does_not_differ_from_itself(void **state)
{
    struct gcal_record *record = gcal_record_open(RECORD, NULL);
    struct gcal_compare_records diff;

    (void)state;
    assert_int_equal(gcal_compare_records(arena, record, record, catalogue, &diff, NULL),
                     0);
    for (size_t i = 0; i < diff.n_kernels; i++)
        assert_true(diff.kernels[i].is.ratio == 1 &&
                    !gcal_compare_ratio_differs(&diff.kernels[i].is));
    for (size_t i = 0; i < diff.n_generators; i++)
        assert_false(gcal_compare_ratio_differs(&diff.generators[i].is));
    gcal_record_close(record);
}

/* One sample says nothing of its noise; other devices of the type are compared, and
 * kernels that one record lacks are named.
 */
static void says_what_it_cannot_tell(void **state)
{
    struct gcal_record *before = gcal_record_open(RECORD, NULL);
    struct gcal_record *after = make_copy(before, &(struct change){ .generator = "none",
                                                                    .left_out = "empty",
                                                                    .uid = "uuid:other",
                                                                    .n_samples = 1 });
    struct gcal_compare_records diff;
    size_t gpu;

    (void)state;
    assert_int_equal(gcal_compare_records(arena, before, after, catalogue, &diff, NULL),
                     0);
    assert_int_equal(diff.n_devices, 2);
    gpu = gpu_of(&diff);
    assert_string_equal(diff.devices[gpu].after->info.uid, "uuid:other");
    assert_int_equal(diff.n_only_before, 10);
    assert_int_equal(diff.n_only_after, 0);
    assert_int_equal(strncmp(diff.only_before[0], "empty ", 6), 0);
    for (size_t i = 0; i < diff.n_kernels; i++)
        assert_true(isnan(diff.kernels[i].is.low) &&
                    !gcal_compare_ratio_differs(&diff.kernels[i].is));
    gcal_record_close(before);
    gcal_record_close(after);
}

static void needs_a_device_in_common(void **state)
{
    struct gcal_record *before = gcal_record_open(RECORD, NULL);
    struct gcal_record *after = gcal_record_open(TEST_DATA "/two-gpus/record.h5", NULL);
    struct gcal_compare_records diff;
    struct gcal_error err;

    (void)state;
    /* One H200 there, two here: which of these is meant? */
    assert_int_equal(gcal_compare_records(arena, before, after, catalogue, &diff, &err),
                     -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_non_null(strstr(err.text, "no device in common"));
    gcal_record_close(before);
    gcal_record_close(after);
}

static int start(void **state)
{
    arena = gcal_arena_create();
    return (catalogue = gcal_catalogue_open(NULL, NULL)) ? folder_make(state) : -1;
}

static int end(void **state)
{
    gcal_catalogue_close(catalogue);
    gcal_arena_destroy(arena);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_takes_longer),
        cmocka_unit_test(a_record_does_not_differ_from_itself),
        cmocka_unit_test(says_what_it_cannot_tell),
        cmocka_unit_test(needs_a_device_in_common),
    };

    return cmocka_run_group_tests(tests, start, end);
}
