/* test_record.c - records: all that is written is read, damage is refused */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "store/record/file.h"
#include "tests/store/sample.h"

static void write_record(const char *path)
{
    struct gcal_record_header header = sample_header();
    struct gcal_record_writer *w = gcal_record_create(path, NULL);
    struct gcal_run_sink sink;

    assert_non_null(w);
    sink = gcal_record_sink(w);
    sample_run(&sink);
    assert_int_equal(gcal_record_finish(w, &header, NULL), 0);
}

static void check_tables(const struct gcal_record *r)
{
    const struct gcal_run_device *d;
    const struct gcal_run_kernel *k;

    assert_int_equal(r->n_devices, 2);
    d = &r->devices[0];
    assert_string_equal(d->node, "n1");
    assert_null(d->failure);
    assert_string_equal(d->info.vendor, "Test & Sons: \"GPUs\"");
    assert_true(d->info.fp64 && !d->info.fp16);
    assert_true(d->info.max_clock_hz == 1.98e9 && d->info.unit_registers == 65536);
    /* It came twice, the second time with its failure. */
    assert_string_equal(r->devices[1].failure, "three workers crashed");
    assert_true(d->span_s == 0 && d->busy_s == 0);
    assert_true(r->devices[1].span_s == 23.75);
    assert_true(r->devices[1].busy_s == 16.5);
    assert_int_equal(r->n_kernels, 2);
    k = &r->kernels[0];
    assert_string_equal(k->source,
                        "kernel void f(global float *x)\n{\n    x[0] = 1;\n}\n");
    assert_string_equal(k->variant, "flops_madd_memory");
    assert_int_equal(k->origin.form, GCAL_KERNEL_MEMORY);
    assert_string_equal(k->origin.generator, "flops_madd");
    assert_string_equal(k->origin.family, "madd");
    assert_string_equal(k->origin.name, "madd chain n:2048");
    assert_true(k->origin.n_accumulators == 8 && k->origin.barriers);
    assert_int_equal(k->uses.n, 2);
    assert_true(gcal_kernel_uses_have(&k->uses, "matmul", GCAL_KERNEL_FITTED));
    assert_true(gcal_kernel_uses_have(&k->uses, "others", GCAL_KERNEL_CHECK));
    assert_int_equal(r->kernels[1].origin.form, GCAL_KERNEL_COMPLETE);
    assert_string_equal(r->kernels[1].origin.name, "");
    assert_int_equal(r->kernels[1].uses.n, 0);
    assert_int_equal(k->n_sizes, 2);
    assert_string_equal(k->size_names[1], "m");
    assert_true(k->size_values[1] == 713);
    assert_int_equal(r->kernels[1].n_sizes, 1);
    assert_int_equal(r->n_lost, 1);
    assert_string_equal(r->lost[0], "n3 rank 2: no sign of life for 20 s");
    assert_int_equal(r->n_links, 1);
    assert_string_equal(r->links[0].from, "n1");
    assert_true(r->links[0].round == 2 && r->links[0].n_times == 2);
    assert_true(r->links[0].times[0].bytes == 8 && r->links[0].times[0].messages == 200 &&
                r->links[0].times[0].time_s == 2.385e-6);
}

static void check_measurements(const struct gcal_record *r)
{
    struct gcal_measurement m;
    size_t device, kernel;

    assert_int_equal(r->n_measurements, 3);
    assert_int_equal(gcal_record_measurement(r, 0, &m, &device, &kernel, NULL), 0);
    assert_true(device == 0 && kernel == 1 && m.n_samples == 3 && m.n_warmup == 3);
    assert_string_equal(m.kernel_id, "k2");
    assert_int_equal(m.stop, GCAL_MEASUREMENT_STOP_NOISE);
    assert_true(m.checked && m.worst_difference == 2.385e-7);
    assert_true(m.built.registers == 116 && m.built.private_bytes == 616);
    assert_true(m.built.work_group_size == 256 && m.built.multiple == 32);
    assert_true(m.samples[0].time_s == 2.385e-6 && m.samples[0].throttle == 4);
    assert_true(isnan(m.samples[1].clock_hz) && isnan(m.samples[1].temperature_c));
    assert_true(m.samples[2].temperature_c == 44.25 && m.samples[2].order == 47);
    gcal_measurement_clear(&m);
    assert_int_equal(gcal_record_measurement(r, 1, &m, NULL, NULL, NULL), 0);
    assert_int_equal(m.status, GCAL_MEASUREMENT_CRASHED);
    assert_string_equal(m.detail, "worker killed by signal 11");
    assert_false(gcal_built_is_known(&m.built));
    assert_int_equal(m.n_samples, 0);
    gcal_measurement_clear(&m);
    assert_int_equal(gcal_record_measurement(r, 2, &m, NULL, NULL, NULL), 0);
    assert_null(m.detail);
    assert_true(m.samples[0].host_s == 9.02e-6 && m.n_samples == 2);
    gcal_measurement_clear(&m);
    assert_int_equal(gcal_record_measurement(r, 3, &m, NULL, NULL, NULL), -1);
}

static void keeps_a_run(void **state)
{
    const char *path = sample_path(*state, "a.h5");
    const struct gcal_record_header *header;
    struct gcal_record *r;
    struct stat info;

    write_record(path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
    assert_non_null(r = gcal_record_open(path, NULL));
    header = r->header;
    assert_string_equal(header->run_id, "20261121T041705Z-1a2b3c4d");
    assert_string_equal(header->config, "store: /shared/gpucal\n");
    assert_string_equal(header->finished_utc, "2026-11-21T04:27:51Z");
    assert_true(header->seed == 0xfedcba9876543210u && header->n_ranks == 3);
    assert_true(header->simulated);
    assert_string_equal(header->catalogue, SAMPLE_CATALOGUE);
    assert_int_equal(header->catalogue_files.n, 2);
    assert_string_equal(
        gcal_catalogue_files_find(&header->catalogue_files, "own", "a.yaml"),
        "name: a\n");
    assert_string_equal(
        gcal_catalogue_files_find(&header->catalogue_files, "own", "a.cl"), "");
    check_tables(r);
    check_measurements(r);
    gcal_record_close(r);
}

/* One kernel on devices of 32, 8 and 16 work-items per sub-group: there are counts for the
 * first two and, of another kernel, for any.
 */
static void write_sub_groups(const char *path)
{
    static const uint64_t sizes[] = { 32, 8, 16 };
    static char *const uids[] = { "a", "b", "c" };
    struct gcal_record_header header = sample_header();
    struct gcal_record_writer *w = gcal_record_create(path, NULL);
    struct gcal_run_kernel kernel = { .id = "k1", .name = "k", .variant = "k" };
    struct gcal_measurement m = { .node = "n1", .kernel_id = "k1" };
    struct gcal_run_device device = { .node = "n1" };
    struct gcal_run_sink sink;

    assert_non_null(w);
    sink = gcal_record_sink(w);
    for (size_t i = 0; i < 3; i++) {
        device.info =
            (struct gcal_device_info){ .uid = uids[i], .sub_group_size = sizes[i] };
        kernel.sub_group_size = i < 2 ? sizes[i] : 0;
        kernel.profile = i == 0 ? "of 32" : i == 1 ? "of 8" : "of any";
        assert_int_equal(sink.device(sink.context, &device, NULL), 0);
        assert_int_equal(sink.kernel(sink.context, &kernel, NULL), 0);
        assert_int_equal(sink.kernel(sink.context, &kernel, NULL), 0);
    }
    for (size_t i = 3; i-- > 0;) {
        m.device_uid = uids[i];
        assert_int_equal(sink.measurement(sink.context, &m, NULL), 0);
    }
    assert_int_equal(gcal_record_finish(w, &header, NULL), 0);
}

static void a_kernel_has_counts_for_each_sub_group_size(void **state)
{
    static const char *const profiles[] = { "of any", "of 8", "of 32" };
    static const uint64_t sizes[] = { 0, 8, 32 };
    const char *path = sample_path(*state, "sub_groups.h5");
    struct gcal_record *r;

    write_sub_groups(path);
    assert_non_null(r = gcal_record_open(path, NULL));
    assert_int_equal(r->n_kernels, 3);
    for (size_t i = 0; i < 3; i++) {
        struct gcal_measurement m;
        size_t kernel;

        assert_int_equal(gcal_record_measurement(r, i, &m, NULL, &kernel, NULL), 0);
        assert_string_equal(m.kernel_id, "k1");
        assert_string_equal(r->kernels[kernel].profile, profiles[i]);
        assert_int_equal(r->kernels[kernel].sub_group_size, sizes[i]);
        gcal_measurement_clear(&m);
    }
    gcal_record_close(r);
}

static void is_the_same_for_the_same_run(void **state)
{
    size_t a_size, b_size;
    char *a, *b;

    write_record(sample_path(*state, "a.h5"));
    a = sample_file_read(sample_path(*state, "a.h5"), &a_size);
    sleep(1); /* a time in the file would show */
    write_record(sample_path(*state, "b.h5"));
    b = sample_file_read(sample_path(*state, "b.h5"), &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
}

static void refuses_every_cut(void **state)
{
    const char *cut = sample_path(*state, "cut.h5");
    struct gcal_error err;
    size_t size;
    char *data;

    write_record(sample_path(*state, "a.h5"));
    data = sample_file_read(sample_path(*state, "a.h5"), &size);
    sample_file_write(cut, data, size);
    for (size_t n = size; n-- > 0;) {
        assert_int_equal(truncate(cut, (off_t)n), 0);
        assert_null(gcal_record_open(cut, &err));
        assert_int_equal(err.code, GCAL_EINPUT);
        n -= n > 600 ? n % 61 : 0; /* not quite all */
    }
    free(data);
}

/* In a child, so that a crash shows as one. */
static void refuses_every_change(void **state)
{
    const char *path = sample_path(*state, "flip.h5");
    uint64_t random = 713;
    int status = 0;
    size_t size;
    char *data;
    pid_t child;

    write_record(sample_path(*state, "a.h5"));
    data = sample_file_read(sample_path(*state, "a.h5"), &size);
    if ((child = fork()) == 0) {
        for (int i = 0; i < 700; i++) {
            size_t at = gcal_random_next(&random) % size;
            char old = data[at];

            data[at] = (char)gcal_random_next(&random);
            sample_file_write(path, data, size);
            if (data[at] != old && gcal_record_open(path, NULL))
                _exit(1);
            data[at] = old;
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(data);
}

/* Changes a record by way of HDF5: one number of a column (or, with 'extent', its
 * length), and seals it again.
 */
static void tamper(const char *path, const char *column, hsize_t extent, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT), space, memory;
    hsize_t first = 0, one = 1;
    int fd;

    assert_true(dataset >= 0);
    if (extent)
        assert_true(H5Dset_extent(dataset, &extent) >= 0);
    space = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &one, NULL);
    if (!extent)
        assert_true(H5Dwrite(dataset, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT,
                             &value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    assert_true((fd = open(path, O_RDWR)) >= 0);
    assert_int_equal(gcal_record_seal(fd), 0);
    close(fd);
}

static void believes_no_count_and_no_index(void **state)
{
    static const struct {
        const char *column;
        hsize_t extent;
        uint64_t value;
        const char *complaint;
    } cases[] = {
        { "samples/order", 4, 0, "another number of rows" },
        { "samples/order", 1000000000000, 0, "another number of rows" },
        { "kernels/n_sizes", 0, 1000000000000, "a kernel with" },
        { "kernels/n_sizes", 0, 5, "beyond its end" },
        { "kernels/first_size", 0, UINT64_MAX, "beyond its end" },
        { "kernels/n_uses", 0, 1000000000000, "a kernel with" },
        { "kernels/n_uses", 0, 5, "beyond its end" },
        { "kernels/first_use", 0, UINT64_MAX, "beyond its end" },
        { "kernels/barriers", 0, 2, "kernels/barriers: holds an impossible value" },
        { "devices/rank", 0, 0x7fffffff, NULL }, /* odd, but possible */
        { "devices/fp16", 0, 7, "devices/fp16: holds an impossible value" },
        { "measurements/device", 0, 2, "is damaged" },
        { "measurements/kernel", 0, UINT64_MAX, "is damaged" },
        { "measurements/n_samples", 0, 1000000000000, "is damaged" },
        { "measurements/n_samples", 0, 6, "beyond its end" },
        { "measurements/first_sample", 0, UINT64_MAX, "beyond its end" },
        { "samples/time", 0, 0, "a time of 0 s is damaged" },
    };
    const char *path = sample_path(*state, "tampered.h5");
    struct gcal_measurement m;
    struct gcal_record *r;
    struct gcal_error err;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int rc = -1;

        write_record(path);
        tamper(path, cases[i].column, cases[i].extent, cases[i].value);
        if ((r = gcal_record_open(path, &err)) &&
            (rc = gcal_record_measurement(r, 0, &m, NULL, NULL, &err)) == 0)
            gcal_measurement_clear(&m);
        gcal_record_close(r);
        if (!cases[i].complaint ? rc < 0
                                : rc == 0 || !strstr(err.text, cases[i].complaint))
            fail_msg("%s: %s", cases[i].column, err.text);
    }
}

static void refuses_what_is_not_a_record(void **state)
{
    const char *path = sample_path(*state, "alien");
    struct gcal_error err;

    sample_file_write(path, "alien\n", 6);
    assert_null(gcal_record_open(path, &err));
    assert_non_null(strstr(err.text, "not an HDF5 file"));
    assert_null(gcal_record_open(*state, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_null(gcal_record_open("/nonexistent", &err));
    assert_null(gcal_record_create("/nonexistent/a.h5", &err));
    assert_int_equal(err.code, GCAL_ESTORE);
}

static void refuses_a_measurement_before_its_device(void **state)
{
    struct gcal_measurement m = { .node = "n1",
                                  .device_uid = "uuid:7f",
                                  .kernel_id = "k1" };
    struct gcal_record_writer *w;
    struct gcal_run_sink sink;
    struct gcal_error err;

    assert_non_null(w = gcal_record_create(sample_path(*state, "early.h5"), &err));
    sink = gcal_record_sink(w);
    assert_int_equal(sink.measurement(sink.context, &m, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    gcal_record_abandon(w);
    assert_int_equal(access(sample_path(*state, "early.h5"), F_OK), -1);
}

static int fill_disk(void *path)
{
    struct gcal_record_header header = sample_header();
    struct gcal_measurement_sample samples[713];
    struct gcal_measurement m = { .node = "n1",
                                  .device_uid = "uuid:7f",
                                  .kernel_id = "k1",
                                  .n_samples = 713,
                                  .samples = samples };
    struct gcal_error err = { 0 };
    struct gcal_record_writer *w = gcal_record_create(path, &err);
    struct gcal_run_sink sink;
    uint64_t random = 1;

    if (!w)
        return err.code == GCAL_ESTORE ? 0 : 2;
    sink = gcal_record_sink(w);
    sample_run(&sink);
    for (int i = 0; i < 500; i++) {
        gcal_dtype_fill(random++, "float64", sizeof(samples) / 8, samples);
        if (sink.measurement(sink.context, &m, &err) < 0)
            break;
    }
    if (gcal_record_finish(w, &header, &err) == 0)
        return 3;
    return err.code == GCAL_ESTORE ? 0 : 4;
}

static int count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;

    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void leaves_the_old_record_on_a_full_disk(void **state)
{
    char *folder = sample_folder();
    const char *path = sample_path(folder, "a.h5");
    struct gcal_record *r;

    (void)state;
    write_record(path);
    for (size_t limit = 700; limit < 700000; limit *= 2)
        assert_int_equal(sample_with_file_limit(limit, fill_disk, (void *)path), 0);
    assert_non_null(r = gcal_record_open(path, NULL));
    check_measurements(r);
    gcal_record_close(r);
    assert_int_equal(count_files(folder), 1); /* no temporary file is left */
    sample_folder_remove(folder);
}

static int setup(void **state)
{
    *state = sample_folder();
    return 0;
}

static int teardown(void **state)
{
    sample_folder_remove(*state);
    return 0;
}

static size_t count_temporary(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        n += strncmp(e->d_name, "left.h5.", 8) == 0;
    closedir(dir);
    return n;
}

/* By the next writer of the record, but not those that are being written. */
static void what_a_killed_writer_left_is_removed(void **state)
{
    char *path = strdup(sample_path(*state, "left.h5"));
    struct gcal_record_writer *w, *second;
    pid_t child = fork();

    if (child == 0) {
        gcal_record_create(path, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count_temporary(*state), 1);
    assert_non_null(w = gcal_record_create(path, NULL));
    assert_int_equal(count_temporary(*state), 1);
    assert_non_null(second = gcal_record_create(path, NULL));
    assert_int_equal(count_temporary(*state), 2);
    gcal_record_abandon(w);
    gcal_record_abandon(second);
    assert_int_equal(count_temporary(*state), 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_a_run),
        cmocka_unit_test(is_the_same_for_the_same_run),
        cmocka_unit_test(a_kernel_has_counts_for_each_sub_group_size),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(refuses_every_change),
        cmocka_unit_test(believes_no_count_and_no_index),
        cmocka_unit_test(refuses_what_is_not_a_record),
        cmocka_unit_test(refuses_a_measurement_before_its_device),
        cmocka_unit_test(leaves_the_old_record_on_a_full_disk),
        cmocka_unit_test(what_a_killed_writer_left_is_removed),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
