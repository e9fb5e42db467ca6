/* test_journal.c - journals: replay, incomplete and damaged entries */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"
#include "store/record/record.h"
#include "tests/store/sample.h"

#define ENTRIES 10 /* of sample_run() */

/* A sink that counts and looks at what it knows. */
struct seen {
    int devices, kernels, measurements, links, lost;
};

static int see_device(void *context, const struct gcal_run_device *d,
                      struct gcal_error *e)
{
    struct seen *seen = context;

    (void)e;
    seen->devices++;
    assert_int_equal(d->info.compute_units, 7);
    if (seen->devices == 3)
        assert_string_equal(d->failure, "three workers crashed");
    return 0;
}

static int see_kernel(void *context, const struct gcal_run_kernel *k,
                      struct gcal_error *e)
{
    (void)e;
    ((struct seen *)context)->kernels++;
    assert_string_equal(k->size_names[0], "n");
    return 0;
}

static int see_measurement(void *context, const struct gcal_measurement *m,
                           struct gcal_error *e)
{
    struct seen *seen = context;

    (void)e;
    if (seen->measurements++ == 0)
        assert_true(m->n_samples == 3 && m->samples[0].time_s == 2.385e-6);
    return 0;
}

static int see_link(void *context, const struct gcal_run_link *link, struct gcal_error *e)
{
    (void)e;
    ((struct seen *)context)->links++;
    assert_string_equal(link->to, "n3");
    assert_true(link->n_times == 2 && link->times[1].messages == 10 &&
                link->times[1].time_s == 5.13e-6);
    return 0;
}

static int see_lost(void *context, const char *node, int rank, const char *reason,
                    struct gcal_error *e)
{
    (void)e;
    ((struct seen *)context)->lost++;
    assert_string_equal(node, "n3");
    assert_int_equal(rank, 2);
    assert_string_equal(reason, "no sign of life for 20 s");
    return 0;
}

static struct gcal_run_sink watcher(struct seen *seen)
{
    *seen = (struct seen){ 0 };
    return (struct gcal_run_sink){ seen,     see_device, see_kernel, see_measurement,
                                   see_link, see_lost };
}

static int total(const struct seen *seen)
{
    return seen->devices + seen->kernels + seen->measurements + seen->links + seen->lost;
}

static void write_journal(const char *path)
{
    struct gcal_record_header header = sample_header();
    struct gcal_run_sink sink;
    struct gcal_journal *j;

    header.finished_utc = NULL;
    assert_non_null(j = gcal_journal_create(path, &header, NULL));
    sink = gcal_journal_sink(j);
    sample_run(&sink);
    gcal_journal_close(j);
}

static void replays_in_order(void **state)
{
    const char *path = sample_path(*state, "a.journal");
    struct gcal_record_header header;
    struct gcal_error err;
    struct seen seen;
    struct gcal_run_sink sink = watcher(&seen);

    write_journal(path);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), 0);
    assert_int_equal(total(&seen), ENTRIES);
    assert_int_equal(seen.measurements, 3);
    assert_string_equal(header.launcher, "slurm job 17 step 0");
    assert_string_equal(header.catalogue, SAMPLE_CATALOGUE);
    assert_int_equal(header.catalogue_files.n, 2);
    assert_string_equal(header.catalogue_files.items[0].text, "name: a\n");
    assert_null(header.finished_utc);
    assert_true(header.seed == 0xfedcba9876543210u && header.simulated);
    gcal_record_header_clear(&header);
    /* Another run must not write over it. */
    header = sample_header();
    assert_null(gcal_journal_create(path, &header, &err));
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_non_null(strstr(err.text, "--resume"));
}

static void survives_every_cut(void **state)
{
    const char *path = sample_path(*state, "b.journal");
    const char *cut = sample_path(*state, "cut.journal");
    struct gcal_record_header header;
    struct gcal_error err;
    struct gcal_journal *j;
    struct seen seen;
    struct gcal_run_sink sink;
    int most = 0;
    size_t size;
    char *data;

    write_journal(path);
    data = sample_file_read(path, &size);
    for (size_t n = 0; n < size; n++) {
        sample_file_write(cut, data, n);
        sink = watcher(&seen);
        if (gcal_journal_replay(cut, &header, &sink, &err) < 0) {
            /* Only a journal without a header is none. */
            assert_int_equal(total(&seen), 0);
            assert_int_equal(most, 0);
            assert_int_equal(err.code, GCAL_EINPUT);
            continue;
        }
        gcal_record_header_clear(&header);
        assert_true(total(&seen) >= most && total(&seen) < ENTRIES);
        most = total(&seen);
    }
    assert_int_equal(most, ENTRIES - 1);
    /* Entries after an incomplete one are read again. */
    assert_non_null(j = gcal_journal_append(cut, &err));
    sink = gcal_journal_sink(j);
    assert_int_equal(sink.lost(sink.context, "n3", 2, "no sign of life for 20 s", &err),
                     0);
    assert_null(gcal_journal_append(cut, &err)); /* one at a time */
    gcal_journal_close(j);
    sink = watcher(&seen);
    assert_int_equal(gcal_journal_replay(cut, &header, &sink, &err), 0);
    assert_int_equal(total(&seen), ENTRIES);
    gcal_record_header_clear(&header);
    free(data);
}

/* The length of each entry but the last: its frame then runs past the end of the file. */
static void finds_damaged_lengths(void **state)
{
    const char *path = sample_path(*state, "lengths.journal");
    struct gcal_record_header header;
    struct gcal_error err;
    struct seen seen;
    struct gcal_run_sink sink = watcher(&seen);
    size_t size, n = 0;
    char *data;

    write_journal(path);
    data = sample_file_read(path, &size);
    for (size_t at = 0, next; at < size; at = next) {
        uint32_t length;

        memcpy(&length, data + at + 8, sizeof(length));
        next = at + 12 + length;
        if (next >= size)
            break;
        data[at + 10] ^= 8;
        sample_file_write(path, data, size);
        sink = watcher(&seen);
        assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), -1);
        assert_null(gcal_journal_append(path, &err));
        data[at + 10] ^= 8;
        n++;
    }
    assert_true(n >= ENTRIES);
    free(data);
}

static void distinguishes_damage_from_an_incomplete_end(void **state)
{
    const char *path = sample_path(*state, "c.journal");
    struct gcal_record_header header;
    struct gcal_error err;
    struct seen seen;
    struct gcal_run_sink sink = watcher(&seen);
    char zeros[713] = "";
    size_t size;
    char *data;

    write_journal(path);
    data = sample_file_read(path, &size);
    data[size / 2] ^= 4; /* entries follow: nothing may be dropped in silence */
    sample_file_write(path, data, size);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), -1);
    assert_non_null(strstr(err.text, "damaged at byte"));
    data[size / 2] ^= 4;
    data[size - 1] ^= 4; /* the last entry: its bytes did not reach the disk */
    sample_file_write(path, data, size);
    sink = watcher(&seen);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), 0);
    assert_int_equal(total(&seen), ENTRIES - 1);
    gcal_record_header_clear(&header);
    data[size - 1] ^= 4; /* complete, and followed by zeros */
    data = realloc(data, size + sizeof(zeros));
    memcpy(data + size, zeros, sizeof(zeros));
    sample_file_write(path, data, size + sizeof(zeros));
    sink = watcher(&seen);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), 0);
    assert_int_equal(total(&seen), ENTRIES);
    gcal_record_header_clear(&header);
    sample_file_write(path, "alien\n", 6);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, &err), -1);
    assert_int_equal(gcal_journal_replay("/nonexistent", &header, &sink, &err), -1);
    assert_null(gcal_journal_append("/nonexistent", &err));
    free(data);
}

static int fill_disk(void *path)
{
    struct gcal_record_header header = sample_header();
    struct gcal_journal *j = gcal_journal_create(path, &header, NULL);
    struct gcal_run_sink sink = gcal_journal_sink(j);
    struct gcal_error err = { 0 };
    int n = 0;

    while (sink.lost(sink.context, "n3", 2, "no sign of life for 20 s", &err) == 0)
        n++;
    gcal_journal_close(j);
    return err.code == GCAL_ESTORE ? n : 0;
}

static void keeps_complete_entries_on_a_full_disk(void **state)
{
    const char *path = sample_path(*state, "d.journal");
    int n = sample_with_file_limit(2000, fill_disk, (void *)path);
    struct gcal_record_header header;
    struct seen seen;
    struct gcal_run_sink sink = watcher(&seen);

    assert_true(n > 3);
    assert_int_equal(gcal_journal_replay(path, &header, &sink, NULL), 0);
    assert_int_equal(total(&seen), n);
    gcal_record_header_clear(&header);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_in_order),
        cmocka_unit_test(survives_every_cut),
        cmocka_unit_test(finds_damaged_lengths),
        cmocka_unit_test(distinguishes_damage_from_an_incomplete_end),
        cmocka_unit_test(keeps_complete_entries_on_a_full_disk),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
