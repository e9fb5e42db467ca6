/* read.c - reads records */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/record/file.h"

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

/* Takes 'object', an attribute or the dataset "config", of type 'stored'. */
static char *read_text(struct gcal_arena *arena, hid_t object, hid_t stored, hid_t space)
{
    hid_t type = gcal_record_text_type();
    char *text = NULL, *copy = NULL;
    bool is_attribute = H5Iget_type(object) == H5I_ATTR;

    if (check_scalar_text(stored, space) == 0 &&
        (is_attribute
             ? H5Aread(object, type, &text)
             : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text)) >= 0) {
        copy = gcal_arena_strdup(arena, text ? text : "");
        H5free_memory(text);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(stored);
    if (is_attribute)
        H5Aclose(object);
    else
        H5Dclose(object);
    return copy;
}

static char *read_attribute(struct gcal_arena *arena, hid_t file, const char *name)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);

    return read_text(arena, attribute, H5Aget_type(attribute), H5Aget_space(attribute));
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

static int read_header(struct gcal_arena *arena, hid_t file,
                       struct gcal_record_header *header, struct gcal_error *err)
{
    hid_t config = H5Dopen2(file, "config", H5P_DEFAULT);
    uint64_t n_ranks = 0, simulated = 0;

    header->config = read_text(arena, config, H5Dget_type(config), H5Dget_space(config));

    for (const struct gcal_record_attribute *t = gcal_record_attributes; t->name; t++) {
        char **member = (char **)((char *)header + t->offset);

        if (!(*member = read_attribute(arena, file, t->name)))
            return gcal_error_set(err, GCAL_EINPUT, "attribute %s is missing or damaged",
                                  t->name);
    }
    if (!*header->finished_utc)
        header->finished_utc = NULL;
    if (read_number(file, "seed", &header->seed) < 0 ||
        read_number(file, "n_ranks", &n_ranks) < 0 ||
        read_number(file, "simulated", &simulated) < 0)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "attribute seed, n_ranks or simulated is missing or damaged");
    header->n_ranks = (uint32_t)n_ranks;
    header->simulated = simulated != 0;
    if (!header->config)
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
    kernel->size_names =
        gcal_arena_alloc(r->rest->arena, count, sizeof(*kernel->size_names));
    kernel->size_values =
        gcal_arena_alloc(r->rest->arena, count, sizeof(*kernel->size_values));
    rc = gcal_record_table_read(r->rest->arena,
                                &r->rest->file->tables[GCAL_RECORD_TABLE_SIZES], first,
                                count, rows, err);
    for (size_t i = 0; i < count; i++) {
        kernel->size_names[i] = rows[i].name;
        kernel->size_values[i] = rows[i].value;
    }
    kernel->n_sizes = count;
    return rc;
}

static int read_kernels(struct gcal_record *r, struct gcal_error *err)
{
    const struct gcal_record_table *table =
        &r->rest->file->tables[GCAL_RECORD_TABLE_KERNELS];
    struct gcal_arena *arena = r->rest->arena;

    if (table->n_rows > MAX_KERNELS)
        return gcal_error_set(err, GCAL_EINPUT, "too many kernels");
    r->kernels = gcal_arena_alloc(arena, table->n_rows, sizeof(*r->kernels));
    for (; r->n_kernels < table->n_rows; r->n_kernels++) {
        struct gcal_record_kernel_row row = { 0 };

        if (gcal_record_table_read(arena, table, r->n_kernels, 1, &row, err) < 0 ||
            read_sizes(r, row.first_size, row.kernel.n_sizes, &row.kernel, err) < 0)
            return -1;
        if (row.n_uses > MAX_USES)
            return gcal_error_set(err, GCAL_EINPUT, "a kernel with %llu uses",
                                  (unsigned long long)row.n_uses);
        row.kernel.uses.items =
            gcal_arena_alloc(r->rest->arena, row.n_uses, sizeof(*row.kernel.uses.items));
        row.kernel.uses.n = row.kernel.uses.capacity = row.n_uses;
        if (gcal_record_table_read(
                r->rest->arena, &r->rest->file->tables[GCAL_RECORD_TABLE_USES],
                row.first_use, row.kernel.uses.n, row.kernel.uses.items, err) < 0)
            return -1;
        r->kernels[r->n_kernels] = row.kernel;
    }
    return 0;
}

static int read_lost(struct gcal_record *r, struct gcal_error *err)
{
    const struct gcal_record_table *table =
        &r->rest->file->tables[GCAL_RECORD_TABLE_LOST];
    struct gcal_arena *arena = r->rest->arena;

    if (table->n_rows > MAX_DEVICES)
        return gcal_error_set(err, GCAL_EINPUT, "too many lost ranks");
    r->lost = gcal_arena_alloc(arena, table->n_rows, sizeof(*r->lost));
    while (r->n_lost < table->n_rows) {
        struct gcal_record_lost_row row = { 0 };

        if (gcal_record_table_read(arena, table, r->n_lost, 1, &row, err) < 0)
            return -1;
        r->lost[r->n_lost++] =
            gcal_arena_format(arena, "%s rank %d: %s", row.node, row.rank, row.reason);
    }
    return 0;
}

/* More pairs than those of 3000 nodes are damage. */
#define MAX_LINKS 5000000u

static int read_links(struct gcal_record *r, struct gcal_error *err)
{
    const struct gcal_record_table *table =
                                       &r->rest->file->tables[GCAL_RECORD_TABLE_LINKS],
                                   *times = &r->rest->file
                                                 ->tables[GCAL_RECORD_TABLE_LINK_TIMES];
    struct gcal_arena *arena = r->rest->arena;
    struct gcal_record_link_row *rows;

    if (table->n_rows > MAX_LINKS)
        return gcal_error_set(err, GCAL_EINPUT, "too many links");
    rows = gcal_arena_alloc(arena, table->n_rows, sizeof(*rows));
    r->links = gcal_arena_alloc(arena, table->n_rows, sizeof(*r->links));
    if (gcal_record_table_read(arena, table, 0, table->n_rows, rows, err) < 0)
        return -1;
    for (; r->n_links < table->n_rows; r->n_links++) {
        struct gcal_run_link *link = &r->links[r->n_links];

        *link = rows[r->n_links].link;
        if (link->n_times > times->n_rows)
            return gcal_error_set(err, GCAL_EINPUT, "links/n_times: rows beyond the end");
        link->times = gcal_arena_alloc(arena, link->n_times, sizeof(*link->times));
        if (gcal_record_table_read(arena, times, rows[r->n_links].first_time,
                                   link->n_times, link->times, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the file ---- */

/* Before HDF5 reads a file: it must be complete. */
static int check_file(const char *path, struct gcal_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
    struct stat info;

    if (fd < 0 || fstat(fd, &info) < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        rc = gcal_error_set(err, GCAL_EINPUT, "not a regular file");
    else
        rc = gcal_record_check_seal(fd, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

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
    struct gcal_arena *arena = rest->arena;
    struct gcal_record_header *header = gcal_arena_alloc(arena, 1, sizeof(*header));
    struct gcal_catalogue_files *files = &header->catalogue_files;
    const struct gcal_record_table *table;
    const char *format;
    uint64_t version = 0;

    if (check_file(path, err) < 0 || gcal_record_hdf5_start(err) < 0)
        return -1;
    r->header = rest->run = header;
    if ((rest->file->id = open_file(path)) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "truncated or damaged");
    format = read_attribute(arena, rest->file->id, "format");
    if (!format || strcmp(format, GCAL_RECORD_FORMAT) != 0 ||
        read_number(rest->file->id, "format_version", &version) < 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "an HDF5 file, but not a record of gpucal");
    if (version != GCAL_RECORD_VERSION)
        return gcal_error_set(err, GCAL_EINPUT,
                              "version %llu of the record, written by another version of "
                              "gpucal: calibrate again",
                              (unsigned long long)version);
    if (read_header(arena, rest->file->id, header, err) < 0)
        return -1;
    for (int i = 0; i < (H5Lexists(rest->file->id, "links", H5P_DEFAULT) > 0
                             ? GCAL_RECORD_N_TABLES
                             : GCAL_RECORD_TABLE_LINKS);
         i++)
        if (gcal_record_table_open(&rest->file->tables[i], rest->file->id,
                                   (enum gcal_record_table_id)i, err) < 0)
            return -1;
    r->n_measurements = rest->file->tables[GCAL_RECORD_TABLE_MEASUREMENTS].n_rows;
    table = &rest->file->tables[GCAL_RECORD_TABLE_DEVICES];
    if (table->n_rows > MAX_DEVICES)
        return gcal_error_set(err, GCAL_EINPUT, "too many devices");
    r->n_devices = table->n_rows;
    r->devices = gcal_arena_alloc(arena, r->n_devices, sizeof(*r->devices));
    r->device_run = gcal_arena_alloc(arena, r->n_devices, sizeof(*r->device_run));
    for (size_t i = 0; i < r->n_devices; i++)
        r->device_run[i] = r->header;
    if (gcal_record_table_read(arena, table, 0, r->n_devices, r->devices, err) < 0 ||
        read_kernels(r, err) < 0)
        return -1;
    table = &rest->file->tables[GCAL_RECORD_TABLE_CATALOGUE_FILES];
    if (table->n_rows > MAX_FILES)
        return gcal_error_set(err, GCAL_EINPUT, "too many files of the catalogue");
    files->n = files->capacity = table->n_rows;
    files->items = gcal_arena_alloc(arena, files->n, sizeof(*files->items));
    if (gcal_record_table_read(arena, table, 0, files->n, files->items, err) < 0)
        return -1;
    return read_lost(r, err) < 0 ? -1 : read_links(r, err);
}

int gcal_record_file_open(struct gcal_record *record, const char *path,
                          struct gcal_error *err)
{
    struct gcal_record_file *file =
        gcal_arena_alloc(record->rest->arena, 1, sizeof(*file));

    *file = (struct gcal_record_file){ .id = -1, .block = gcal_record_block_create() };
    record->rest->file = file;
    return read_all(record, path, err);
}

void gcal_record_file_close(struct gcal_record_file *file)
{
    for (int i = 0; i < GCAL_RECORD_N_TABLES; i++)
        gcal_record_table_close(&file->tables[i], NULL);
    if (file->id >= 0)
        H5Fclose(file->id);
    gcal_record_block_destroy(file->block);
}
