/* measurements.c - reads the measurements of a record, ahead in blocks
 *
 * A read by HDF5 takes some 10 us for each column, however few rows it has; a record of a
 * thousand devices has some 300000 measurements, which are read in their order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/record/file.h"

#define BLOCK_ROWS    1024
#define BLOCK_SAMPLES 200000u /* of a block, else its samples are read one by one */

struct gcal_record_block {
    struct gcal_arena *arena;
    hsize_t first; /* row of measurements */
    size_t n;
    struct gcal_record_measurement_row *rows;
    hsize_t first_sample;
    size_t n_samples;
    struct gcal_measurement_sample *samples; /* NULL: not read ahead */
};

static void block_clear(struct gcal_record_block *b)
{
    gcal_arena_destroy(b->arena);
    *b = (struct gcal_record_block){ .arena = gcal_arena_create() };
}

struct gcal_record_block *gcal_record_block_create(void)
{
    struct gcal_record_block *block = calloc(1, sizeof(*block));

    if (!block)
        gcal_arena_out_of_memory();
    return block;
}

void gcal_record_block_destroy(struct gcal_record_block *block)
{
    gcal_arena_destroy(block ? block->arena : NULL);
    free(block);
}

/* ---- reading ahead ---- */

/* The samples of the block, if they lie together. */
static void read_block_samples(const struct gcal_record *r, struct gcal_record_block *b)
{
    const struct gcal_record_table *table =
        &r->rest->file->tables[GCAL_RECORD_TABLE_SAMPLES];
    uint64_t low = UINT64_MAX, high = 0;

    for (size_t i = 0; i < b->n; i++) {
        uint64_t first = b->rows[i].first_sample, n = b->rows[i].m.n_samples;

        if (!n)
            continue;
        if (n > GCAL_RECORD_MAX_SAMPLES || first > table->n_rows)
            return;
        low = first < low ? first : low;
        high = first + n > high ? first + n : high;
    }
    if (low >= high || high > table->n_rows || high - low > BLOCK_SAMPLES)
        return;
    b->samples = gcal_arena_alloc(b->arena, high - low, sizeof(*b->samples));
    if (gcal_record_table_read(b->arena, table, low, high - low, b->samples, NULL) < 0)
        b->samples = NULL;
    b->first_sample = low;
    b->n_samples = high - low;
}

/* Without what cannot be read: rows are read one by one then, and the damaged one is named. */
static void read_block(const struct gcal_record *r, struct gcal_record_block *b, size_t i)
{
    const struct gcal_record_table *table =
        &r->rest->file->tables[GCAL_RECORD_TABLE_MEASUREMENTS];

    block_clear(b);
    b->first = i - i % BLOCK_ROWS;
    if (b->first >= table->n_rows)
        return;
    b->rows = gcal_arena_alloc(b->arena, BLOCK_ROWS, sizeof(*b->rows));
    b->n = table->n_rows - b->first < BLOCK_ROWS ? table->n_rows - b->first : BLOCK_ROWS;
    if (gcal_record_table_read(b->arena, table, b->first, b->n, b->rows, NULL) < 0)
        block_clear(b);
    else
        read_block_samples(r, b);
}

static bool has(const struct gcal_record_block *b, size_t i)
{
    return b->n && i >= b->first && i - b->first < b->n;
}

static struct gcal_record_block *block_of(const struct gcal_record *r, size_t i)
{
    struct gcal_record_block *b = r->rest->file->block;

    if (!has(b, i))
        read_block(r, b, i);
    return has(b, i) ? b : NULL;
}

/* ---- one measurement ---- */

static int read_samples(const struct gcal_record *r, const struct gcal_record_block *b,
                        const struct gcal_record_measurement_row *row,
                        struct gcal_measurement_sample *samples, struct gcal_error *err)
{
    size_t n = row->m.n_samples;

    if (!b || !b->samples || row->first_sample < b->first_sample ||
        row->first_sample + n > b->first_sample + b->n_samples)
        return gcal_record_table_read(r->rest->arena,
                                      &r->rest->file->tables[GCAL_RECORD_TABLE_SAMPLES],
                                      row->first_sample, n, samples, err);
    memcpy(samples, &b->samples[row->first_sample - b->first_sample],
           n * sizeof(*samples));
    return 0;
}

/* Fills the members of 'row' that come from the tables of devices, kernels and samples.
 */
static int complete(const struct gcal_record *r, const struct gcal_record_block *b,
                    struct gcal_record_measurement_row *row, struct gcal_error *err)
{
    struct gcal_measurement *m = &row->m;

    if (row->device >= r->n_devices || row->kernel >= r->n_kernels ||
        m->n_samples > GCAL_RECORD_MAX_SAMPLES)
        return gcal_error_set(err, GCAL_EINPUT, "device, kernel or n_samples is damaged");
    m->node = strdup(r->devices[row->device].node);
    m->device_uid = strdup(r->devices[row->device].info.uid);
    m->kernel_id = strdup(r->kernels[row->kernel].id);
    m->samples = calloc(m->n_samples + 1, sizeof(*m->samples));
    if (!m->node || !m->device_uid || !m->kernel_id || !m->samples)
        return gcal_error_memory(err);
    if (read_samples(r, b, row, m->samples, err) < 0)
        return -1;
    /* No clock gives others. */
    for (size_t k = 0; k < m->n_samples; k++)
        if (!(m->samples[k].time_s > 0 && isfinite(m->samples[k].time_s)))
            return gcal_error_set(err, GCAL_EINPUT, "a time of %g s is damaged",
                                  m->samples[k].time_s);
    return 0;
}

/* A copy of a row that was read ahead, or else from the file. */
static int read_row(const struct gcal_record *r, const struct gcal_record_block *b,
                    size_t i, struct gcal_record_measurement_row *row,
                    struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char *detail;
    int rc = 0;

    if (b)
        *row = b->rows[i - b->first];
    else
        rc = gcal_record_table_read(
            arena, &r->rest->file->tables[GCAL_RECORD_TABLE_MEASUREMENTS], i, 1, row,
            err);
    detail = row->m.detail;
    row->m.detail = NULL;
    if (rc == 0 && detail && !(row->m.detail = strdup(detail)))
        rc = gcal_error_memory(err);
    gcal_arena_destroy(arena);
    return rc;
}

int gcal_record_file_measurement(const struct gcal_record *record, size_t i,
                                 struct gcal_record_measurement_row *row,
                                 struct gcal_error *err)
{
    const struct gcal_record_block *b = block_of(record, i);

    if (read_row(record, b, i, row, err) == 0 && complete(record, b, row, err) == 0)
        return 0;
    gcal_error_prefix(err, "record: measurement %zu", i);
    gcal_measurement_clear(&row->m);
    return -1;
}
