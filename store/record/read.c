/* read.c - reads records */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/record/private.h"

/* More than any run has: limits for damaged counts. */
#define MAX_DEVICES 1000000u
#define MAX_KERNELS 1000000u
#define MAX_SIZES   64u
#define MAX_USES    10000u  /* of one kernel */
#define MAX_FILES   100000u /* of a catalogue */

/* ---- header ---- */

/* A single text, as an attribute or as a dataset. */
static int check_scalar_text(hid_t type, hid_t space)
{
    return H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR
               ? 0
               : -1;
}

static char *take_text(char *text)
{
    char *copy = strdup(text ? text : "");

    H5free_memory(text);
    return copy;
}

static char *read_text(hid_t file, const char *name)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), stored = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute), type = gcal_record_text_type();
    char *text = NULL, *copy = NULL;

    if (check_scalar_text(stored, space) == 0 && H5Aread(attribute, type, &text) >= 0)
        copy = take_text(text);
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(stored);
    H5Aclose(attribute);
    return copy;
}

static char *read_config(hid_t file)
{
    hid_t dataset = H5Dopen2(file, "config", H5P_DEFAULT), stored = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset), type = gcal_record_text_type();
    char *text = NULL, *copy = NULL;

    if (check_scalar_text(stored, space) == 0 &&
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0)
        copy = take_text(text);
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(dataset);
    return copy;
}

static int read_number(hid_t file, const char *name, uint64_t *value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute);
    int rc = -1;

    if (H5Sget_simple_extent_type(space) == H5S_SCALAR &&
        H5Aread(attribute, H5T_NATIVE_UINT64, value) >= 0)
        rc = 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return rc;
}

static int read_header(hid_t file, struct gcal_record_header *header,
                       struct gcal_error *err)
{
    uint64_t n_ranks = 0, simulated = 0;

    for (const struct gcal_record_attribute *t = gcal_record_attributes; t->name; t++) {
        char **member = (char **)((char *)header + t->offset);
        bool is_there = !t->optional || H5Aexists(file, t->name) > 0;

        if (!(*member = is_there ? read_text(file, t->name) : strdup("")))
            return gcal_error_set(err, GCAL_EINPUT, "attribute %s is missing or damaged",
                                  t->name);
    }
    if (!*header->finished_utc) {
        free(header->finished_utc);
        header->finished_utc = NULL;
    }
    if (read_number(file, "seed", &header->seed) < 0 ||
        read_number(file, "n_ranks", &n_ranks) < 0 ||
        read_number(file, "simulated", &simulated) < 0)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "attribute seed, n_ranks or simulated is missing or damaged");
    header->n_ranks = (uint32_t)n_ranks;
    header->simulated = simulated != 0;
    if (!(header->config = read_config(file)))
        return gcal_error_set(err, GCAL_EINPUT, "config is missing or damaged");
    return 0;
}

/* ---- tables ---- */

static int read_sizes(const struct gcal_record *r, uint64_t first, uint64_t count,
                      struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    struct gcal_record_size_row rows[MAX_SIZES] = { 0 };
    int rc;

    if (count > MAX_SIZES)
        return gcal_error_set(err, GCAL_EINPUT, "a kernel with %llu sizes",
                              (unsigned long long)count);
    kernel->size_names = calloc(count + 1, sizeof(*kernel->size_names));
    kernel->size_values = calloc(count + 1, sizeof(*kernel->size_values));
    if (!kernel->size_names || !kernel->size_values)
        return gcal_error_memory(err);
    rc = gcal_record_table_read(&r->rest->tables[GCAL_RECORD_TABLE_SIZES], first, count,
                                rows, err);
    for (size_t i = 0; i < count; i++) {
        kernel->size_names[i] = rows[i].name;
        kernel->size_values[i] = rows[i].value;
    }
    kernel->n_sizes = count;
    return rc;
}

static int read_uses(const struct gcal_record *r,
                     const struct gcal_record_kernel_row *row,
                     struct gcal_kernel_uses *uses, struct gcal_error *err)
{
    if (row->n_uses > MAX_USES)
        return gcal_error_set(err, GCAL_EINPUT, "a kernel with %llu uses",
                              (unsigned long long)row->n_uses);
    if (!(uses->items = calloc(row->n_uses + 1, sizeof(*uses->items))))
        return gcal_error_memory(err);
    /* Counted before they are read: what was read before a failure is freed. */
    uses->n = uses->capacity = row->n_uses;
    return gcal_record_table_read(&r->rest->tables[GCAL_RECORD_TABLE_USES],
                                  row->first_use, uses->n, uses->items, err);
}

static int read_kernels(struct gcal_record *r, struct gcal_error *err)
{
    const struct gcal_record_table *table = &r->rest->tables[GCAL_RECORD_TABLE_KERNELS];

    if (table->n_rows > MAX_KERNELS)
        return gcal_error_set(err, GCAL_EINPUT, "too many kernels");
    if (!(r->kernels = calloc(table->n_rows + 1, sizeof(*r->kernels))))
        return gcal_error_memory(err);
    while (r->n_kernels < table->n_rows) {
        struct gcal_record_kernel_row row = { 0 };
        int rc = gcal_record_table_read(table, r->n_kernels, 1, &row, err);
        uint64_t n_sizes = row.kernel.n_sizes;

        row.kernel.n_sizes = 0; /* until they are read */
        if (rc == 0)
            rc = read_sizes(r, row.first_size, n_sizes, &row.kernel, err);
        if (rc == 0)
            rc = read_uses(r, &row, &row.kernel.uses, err);
        r->kernels[r->n_kernels++] = row.kernel;
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int read_lost(struct gcal_record *r, struct gcal_error *err)
{
    const struct gcal_record_table *table = &r->rest->tables[GCAL_RECORD_TABLE_LOST];

    if (table->n_rows > MAX_DEVICES)
        return gcal_error_set(err, GCAL_EINPUT, "too many lost ranks");
    if (!(r->lost = calloc(table->n_rows + 1, sizeof(*r->lost))))
        return gcal_error_memory(err);
    while (r->n_lost < table->n_rows) {
        struct gcal_record_lost_row row = { 0 };
        int rc = gcal_record_table_read(table, r->n_lost, 1, &row, err);
        char *text = NULL;

        if (rc == 0 &&
            !(text = gcal_buf_format("%s rank %d: %s", row.node, row.rank, row.reason)))
            rc = gcal_error_memory(err);
        free(row.node);
        free(row.reason);
        if (rc < 0)
            return -1;
        r->lost[r->n_lost++] = text;
    }
    return 0;
}

static int read_catalogue_files(const struct gcal_record *r,
                                struct gcal_record_header *header, struct gcal_error *err)
{
    const struct gcal_record_table *table =
        &r->rest->tables[GCAL_RECORD_TABLE_CATALOGUE_FILES];
    struct gcal_catalogue_files *files = &header->catalogue_files;

    if (table->n_rows > MAX_FILES)
        return gcal_error_set(err, GCAL_EINPUT, "too many files of the catalogue");
    if (!(files->items = calloc(table->n_rows + 1, sizeof(*files->items))))
        return gcal_error_memory(err);
    /* Counted before they are read: what was read before a failure is freed. */
    files->n = files->capacity = table->n_rows;
    return gcal_record_table_read(table, 0, files->n, files->items, err);
}

/* ---- the file ---- */

static hid_t open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

    /* A record does not change: no lock is needed, and some file systems have none. */
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static int read_all(struct gcal_record *r, const char *path, struct gcal_error *err)
{
    struct gcal_record_rest *rest = r->rest;
    struct gcal_record_header *header = gcal_record_new_run(r, err);
    char *format;
    uint64_t version = 0;
    const struct gcal_record_table *table;
    struct stat info;
    int fd, rc = 0;

    if (!header)
        return -1;
    /* Before HDF5 reads a file: it must be complete. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        rc = gcal_error_set(err, GCAL_EINPUT, "not a regular file");
    else
        rc = gcal_record_check_seal(fd, err);
    if (fd >= 0)
        close(fd);
    if (rc < 0)
        return -1;
    if (gcal_record_hdf5_start(err) < 0)
        return -1;
    r->header = header;
    if ((rest->file = open_file(path)) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "truncated or damaged");
    format = read_text(rest->file, "format");
    if (!format || strcmp(format, GCAL_RECORD_FORMAT) != 0 ||
        read_number(rest->file, "format_version", &version) < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "an HDF5 file, but not a record of gpucal");
    else if (version < GCAL_RECORD_OLDEST || version > GCAL_RECORD_VERSION)
        rc = gcal_error_set(
            err, GCAL_EINPUT,
            "version %llu of the record; this gpucal reads %d to %d: %s",
            (unsigned long long)version, GCAL_RECORD_OLDEST, GCAL_RECORD_VERSION,
            version > GCAL_RECORD_VERSION ? "use a newer one" : "calibrate again");
    rest->version = (int)version;
    free(format);
    if (rc < 0)
        return -1;
    if (read_header(rest->file, header, err) < 0)
        return -1;
    for (int i = 0; i < GCAL_RECORD_N_TABLES; i++)
        if (gcal_record_table_open(&rest->tables[i], rest->file,
                                   (enum gcal_record_table_id)i, rest->version, err) < 0)
            return -1;
    r->n_measurements = rest->tables[GCAL_RECORD_TABLE_MEASUREMENTS].n_rows;
    table = &rest->tables[GCAL_RECORD_TABLE_DEVICES];
    if (table->n_rows > MAX_DEVICES)
        return gcal_error_set(err, GCAL_EINPUT, "too many devices");
    r->devices = calloc(table->n_rows + 1, sizeof(*r->devices));
    r->device_run = calloc(table->n_rows + 1, sizeof(struct gcal_record_header *));
    if (!r->devices || !r->device_run)
        return gcal_error_memory(err);
    /* Counted before they are read: what was read before a failure is freed. */
    r->n_devices = table->n_rows;
    for (size_t i = 0; i < r->n_devices; i++)
        r->device_run[i] = r->header;
    if (gcal_record_table_read(table, 0, r->n_devices, r->devices, err) < 0)
        return -1;
    if (read_kernels(r, err) < 0 || read_catalogue_files(r, header, err) < 0)
        return -1;
    return read_lost(r, err);
}

struct gcal_record *gcal_record_collect(struct gcal_error *err)
{
    struct gcal_record *r = calloc(1, sizeof(*r));

    if (r && (r->rest = calloc(1, sizeof(*r->rest)))) {
        r->rest->file = -1;
        return r;
    }
    free(r);
    gcal_error_memory(err);
    return NULL;
}

struct gcal_record *gcal_record_open(const char *path, struct gcal_error *err)
{
    struct gcal_record *r = gcal_record_collect(err);

    if (!r)
        return NULL;
    r->rest->block = gcal_record_block_create();
    if (read_all(r, path, err) == 0)
        return r;
    gcal_error_prefix(err, "record %s", path);
    gcal_record_close(r);
    return NULL;
}

void gcal_record_close(struct gcal_record *record)
{
    struct gcal_record_rest *rest = record ? record->rest : NULL;

    if (!record)
        return;
    for (int i = 0; i < GCAL_RECORD_N_TABLES; i++)
        gcal_record_table_close(&rest->tables[i], NULL);
    if (rest->file >= 0)
        H5Fclose(rest->file);
    for (size_t i = 0; i < record->n_devices; i++)
        gcal_run_device_clear(&record->devices[i]);
    for (size_t i = 0; i < record->n_kernels; i++)
        gcal_run_kernel_clear(&record->kernels[i]);
    for (size_t i = 0; i < record->n_lost; i++)
        free(record->lost[i]);
    gcal_record_collected_clear(record);
    for (size_t i = 0; i < rest->n_runs; i++) {
        gcal_record_header_clear(rest->runs[i]);
        free(rest->runs[i]);
    }
    gcal_record_block_destroy(rest->block);
    free(rest->runs);
    free(rest);
    free(record->devices);
    free(record->device_run);
    free(record->kernels);
    free(record->lost);
    free(record);
}
