/* write.c - writes records */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/record/file.h"

/* The row of a device or a kernel, in a binary tree by name.  Only these are kept in
 * memory: measurements and samples are written at once.
 */
struct known_row {
    hsize_t row;
    uint64_t sub_group_size; /* of a device */
    char name[];
};

struct gcal_record_writer {
    char *path, *temp;
    int lock; /* of 'temp', as long as it is being written */
    hid_t file;
    struct gcal_record_table tables[GCAL_RECORD_N_TABLES];
    void *devices, *kernels; /* trees of struct known_row */
    bool given_up;           /* a write failed */
};

static int compare_known_rows(const void *a, const void *b)
{
    return strcmp(((const struct known_row *)a)->name,
                  ((const struct known_row *)b)->name);
}

static struct known_row *known_row_new(const char *first, const char *second)
{
    size_t length = strlen(first) + strlen(second) + 2;
    struct known_row *known = malloc(sizeof(*known) + length);

    if (known) {
        known->row = known->sub_group_size = 0;
        strcpy(known->name, first);
        strcat(known->name, "\n");
        strcat(known->name, second);
    }
    return known;
}

/* Returns 1 with '*known', 0 if there is none, -1 if memory ran out. */
static int find_known_row(void *const *tree, const char *first, const char *second,
                          const struct known_row **known)
{
    struct known_row *wanted = known_row_new(first, second), **found;

    if (!wanted)
        return -1;
    found = tfind(wanted, tree, compare_known_rows);
    free(wanted);
    if (found)
        *known = *found;
    return found != NULL;
}

static int add_known_row(void **tree, const char *first, const char *second, hsize_t row,
                         uint64_t sub_group_size, struct gcal_error *err)
{
    struct known_row *known = known_row_new(first, second);

    if (known) {
        known->row = row;
        known->sub_group_size = sub_group_size;
    }
    if (known && tsearch(known, tree, compare_known_rows))
        return 0;
    free(known);
    return gcal_error_memory(err);
}

/* The second part of a kernel's name, after its id. */
static const char *name_size(uint64_t sub_group_size, char text[32])
{
    snprintf(text, 32, "%llu", (unsigned long long)sub_group_size);
    return text;
}

/* After a failed write, HDF5 1.10 keeps the data that it cannot write, and crashes when
 * the file is closed or the program ends.  So its handles are never closed; the
 * descriptor is redirected to /dev/null, to free the space on disk when the file is
 * removed.
 */
static void give_up(struct gcal_record_writer *w)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), *fd;

    if (w->file >= 0 && null >= 0 &&
        H5Fget_vfd_handle(w->file, H5P_DEFAULT, (void **)&fd) >= 0)
        dup3(null, *fd, O_CLOEXEC);
    if (null >= 0)
        close(null);
    w->given_up = true;
}

/* After a failed write: a full disk, or a broken one. */
static int failed(struct gcal_record_writer *w, struct gcal_error *err)
{
    give_up(w);
    if (err)
        err->code = GCAL_ESTORE;
    return gcal_error_prefix(err, "record %s (disk full?)", w->path);
}

/* ---- entries ---- */

static int add_device(void *context, const struct gcal_run_device *device,
                      struct gcal_error *err)
{
    struct gcal_record_writer *w = context;
    struct gcal_record_table *table = &w->tables[GCAL_RECORD_TABLE_DEVICES];
    const struct known_row *known;
    int found = find_known_row(&w->devices, device->node, device->info.uid, &known);

    if (found < 0)
        return gcal_error_memory(err);
    if (found) {
        static const char *const columns[] = { "failure", "span", "busy" };

        /* Again, after a restart or at its end: the last 'failure' and times count. */
        for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
            if (gcal_record_table_rewrite(table, known->row, columns[i], device, err) < 0)
                return failed(w, err);
        return 0;
    }
    if (gcal_record_table_append(table, device, 1, err) < 0)
        return failed(w, err);
    return add_known_row(&w->devices, device->node, device->info.uid, table->n_rows - 1,
                         device->info.sub_group_size, err);
}

static int add_sizes(struct gcal_record_writer *w, const struct gcal_run_kernel *kernel,
                     struct gcal_error *err)
{
    for (size_t i = 0; i < kernel->n_sizes; i++) {
        struct gcal_record_size_row row = { kernel->size_names[i],
                                            kernel->size_values[i] };

        if (gcal_record_table_append(&w->tables[GCAL_RECORD_TABLE_SIZES], &row, 1, err) <
            0)
            return -1;
    }
    return 0;
}

static int add_kernel(void *context, const struct gcal_run_kernel *kernel,
                      struct gcal_error *err)
{
    struct gcal_record_writer *w = context;
    struct gcal_record_table *table = &w->tables[GCAL_RECORD_TABLE_KERNELS];
    struct gcal_record_kernel_row row = {
        .kernel = *kernel,
        .first_size = w->tables[GCAL_RECORD_TABLE_SIZES].n_rows,
        .first_use = w->tables[GCAL_RECORD_TABLE_USES].n_rows,
        .n_uses = kernel->uses.n,
    };
    const struct known_row *there;
    char size[32];
    int found = find_known_row(&w->kernels, kernel->id,
                               name_size(kernel->sub_group_size, size), &there);

    if (found)
        return found < 0 ? gcal_error_memory(err) : 0;
    if (add_sizes(w, kernel, err) < 0 ||
        gcal_record_table_append(&w->tables[GCAL_RECORD_TABLE_USES], kernel->uses.items,
                                 kernel->uses.n, err) < 0 ||
        gcal_record_table_append(table, &row, 1, err) < 0)
        return failed(w, err);
    return add_known_row(&w->kernels, kernel->id, size, table->n_rows - 1, 0, err);
}

/* The kernel counted for this sub-group size, or else for any; as find_known_row(). */
static int find_kernel(const struct gcal_record_writer *w, const char *id,
                       uint64_t sub_group_size, const struct known_row **kernel)
{
    char size[32];
    int found = find_known_row(&w->kernels, id, name_size(sub_group_size, size), kernel);

    return found ? found : find_known_row(&w->kernels, id, name_size(0, size), kernel);
}

static int add_measurement(void *context, const struct gcal_measurement *m,
                           struct gcal_error *err)
{
    struct gcal_record_writer *w = context;
    struct gcal_record_table *samples = &w->tables[GCAL_RECORD_TABLE_SAMPLES];
    struct gcal_record_measurement_row row = { .m = *m, .first_sample = samples->n_rows };
    const struct known_row *device, *kernel;

    if (find_known_row(&w->devices, m->node, m->device_uid, &device) <= 0 ||
        find_kernel(w, m->kernel_id, device->sub_group_size, &kernel) <= 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "record %s: a measurement before its kernel %s or its "
                              "device %s on %s",
                              w->path, m->kernel_id, m->device_uid, m->node);
    row.device = device->row;
    row.kernel = kernel->row;
    if (gcal_record_table_append(samples, m->samples, m->n_samples, err) < 0 ||
        gcal_record_table_append(&w->tables[GCAL_RECORD_TABLE_MEASUREMENTS], &row, 1,
                                 err) < 0)
        return failed(w, err);
    return 0;
}

/* Records without links have no tables of them. */
static int add_link(void *context, const struct gcal_run_link *link,
                    struct gcal_error *err)
{
    struct gcal_record_writer *w = context;
    struct gcal_record_table *links = &w->tables[GCAL_RECORD_TABLE_LINKS],
                             *times = &w->tables[GCAL_RECORD_TABLE_LINK_TIMES];
    struct gcal_record_link_row row = { .link = *link, .first_time = times->n_rows };

    if ((!links->layout &&
         (gcal_record_table_create(links, w->file, GCAL_RECORD_TABLE_LINKS, err) < 0 ||
          gcal_record_table_create(times, w->file, GCAL_RECORD_TABLE_LINK_TIMES, err) <
              0)) ||
        gcal_record_table_append(times, link->times, link->n_times, err) < 0 ||
        gcal_record_table_append(links, &row, 1, err) < 0)
        return failed(w, err);
    return 0;
}

static int add_lost(void *context, const char *node, int rank, const char *reason,
                    struct gcal_error *err)
{
    struct gcal_record_writer *w = context;
    struct gcal_record_lost_row row = { (char *)node, (char *)reason, rank };

    if (gcal_record_table_append(&w->tables[GCAL_RECORD_TABLE_LOST], &row, 1, err) < 0)
        return failed(w, err);
    return 0;
}

struct gcal_run_sink gcal_record_file_sink(struct gcal_record_writer *writer)
{
    return (struct gcal_run_sink){ .context = writer,
                                   .device = add_device,
                                   .kernel = add_kernel,
                                   .measurement = add_measurement,
                                   .link = add_link,
                                   .lost = add_lost };
}

/* ---- the file ---- */

static hid_t create_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), options = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;

    /* The format of HDF5 1.10: checksums on all metadata, read by every later version.
     * The temporary file has one writer, and locks may not work on the file system.
     */
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    if (H5Pset_obj_track_times(options, 0) >= 0 &&
        H5Pset_userblock(options, GCAL_RECORD_SEAL_BYTES) >= 0)
        file = H5Fcreate(path, H5F_ACC_TRUNC, options, access);
    H5Pclose(options);
    H5Pclose(access);
    return file;
}

/* ---- the temporary file ---- */

#define TEMP_SUFFIX ".writing."
#define TEMP_RANDOM "XXXXXX"

/* -1: another process writes the file, or locks do not work. */
static int take_lock(int fd)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    return fcntl(fd, F_OFD_SETLK, &lock);
}

/* Removes a file in a folder unless it is somebody else's, or is being written. */
static void remove_left(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        take_lock(fd) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* ---- the writer ---- */

struct gcal_record_writer *gcal_record_file_create(const char *path,
                                                   struct gcal_error *err)
{
    struct gcal_record_writer *w = calloc(1, sizeof(*w));
    int rc = 0;
    const char *slash;
    char *start, *copy;
    DIR *folder;
    size_t length;

    if (!w || !(w->path = strdup(path)) ||
        !(w->temp = gcal_buf_format("%s" TEMP_SUFFIX TEMP_RANDOM, path))) {
        gcal_error_memory(err);
        goto fail;
    }
    w->file = -1;
    /* Removes what earlier writers of the same record left when they were killed. */
    slash = strrchr(path, '/');
    start = gcal_buf_format("%s" TEMP_SUFFIX, slash ? slash + 1 : path);
    copy = strdup(path);
    folder = copy ? opendir(dirname(copy)) : NULL;
    length = start ? strlen(start) : 0;
    for (struct dirent *e; start && folder && (e = readdir(folder));)
        if (strncmp(e->d_name, start, length) == 0 &&
            strlen(e->d_name) == length + strlen(TEMP_RANDOM))
            remove_left(dirfd(folder), e->d_name);
    if (folder)
        closedir(folder);
    free(start);
    free(copy);
    if ((w->lock = mkostemp(w->temp, O_CLOEXEC)) < 0) {
        gcal_error_set(err, GCAL_ESTORE, "record %s: %s", path, strerror(errno));
        goto fail;
    }
    take_lock(w->lock);
    if (gcal_record_hdf5_start(err) < 0)
        rc = -1;
    else if ((w->file = create_file(w->temp)) < 0)
        rc = gcal_error_set(err, GCAL_ESTORE, "HDF5 cannot create it");
    for (int i = 0; rc == 0 && i < GCAL_RECORD_TABLE_LINKS; i++)
        rc = gcal_record_table_create(&w->tables[i], w->file,
                                      (enum gcal_record_table_id)i, err);
    if (rc == 0)
        return w;
    failed(w, err);
    gcal_record_file_abandon(w);
    return NULL;
fail:
    if (w) {
        free(w->path);
        free(w->temp);
        free(w);
    }
    return NULL;
}

static int close_file(struct gcal_record_writer *w, struct gcal_error *err)
{
    hid_t file = w->file;

    if (w->given_up || file < 0)
        return 0;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return gcal_error_set(err, GCAL_ESTORE, "cannot be flushed");
    for (int i = 0; i < GCAL_RECORD_N_TABLES; i++)
        if (gcal_record_table_close(&w->tables[i], err) < 0)
            return -1;
    w->file = -1; /* freed by HDF5 even if it cannot be closed */
    if (H5Fclose(file) < 0)
        return gcal_error_set(err, GCAL_ESTORE, "cannot be closed");
    return 0;
}

void gcal_record_file_abandon(struct gcal_record_writer *writer)
{
    if (!writer)
        return;
    if (close_file(writer, NULL) < 0)
        give_up(writer);
    if (writer->temp)
        unlink(writer->temp);
    close(writer->lock);
    tdestroy(writer->devices, free);
    tdestroy(writer->kernels, free);
    free(writer->path);
    free(writer->temp);
    free(writer);
}

static int put_attribute(hid_t file, const char *name, hid_t file_type, hid_t type,
                         const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    int rc = attribute < 0 || H5Awrite(attribute, type, value) < 0 ? -1 : 0;

    H5Aclose(attribute);
    H5Sclose(space);
    return rc;
}

static int put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = gcal_record_text_type();
    const char *value = text ? text : "";
    int rc = put_attribute(file, name, type, type, &value);

    H5Tclose(type);
    return rc;
}

static int put_header(hid_t file, const struct gcal_record_header *header)
{
    uint64_t version = GCAL_RECORD_VERSION, simulated = header->simulated,
             n_ranks = header->n_ranks;
    hid_t type, space, options, dataset = -1;
    const char *value;
    int rc = -1;

    if (put_text(file, "format", GCAL_RECORD_FORMAT) < 0 ||
        put_attribute(file, "format_version", H5T_STD_U32LE, H5T_NATIVE_UINT64,
                      &version) < 0)
        return -1;
    for (const struct gcal_record_attribute *t = gcal_record_attributes; t->name; t++)
        if (put_text(file, t->name, *(char *const *)((const char *)header + t->offset)) <
            0)
            return -1;
    if (put_attribute(file, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, &header->seed) <
            0 ||
        put_attribute(file, "n_ranks", H5T_STD_U32LE, H5T_NATIVE_UINT64, &n_ranks) < 0 ||
        put_attribute(file, "simulated", H5T_STD_U8LE, H5T_NATIVE_UINT64, &simulated) < 0)
        return -1;
    /* The configuration may exceed the 64 KiB of an attribute. */
    type = gcal_record_text_type();
    space = H5Screate(H5S_SCALAR);
    options = H5Pcreate(H5P_DATASET_CREATE);
    value = header->config ? header->config : "";
    if (H5Pset_obj_track_times(options, 0) >= 0)
        dataset =
            H5Dcreate2(file, "config", type, space, H5P_DEFAULT, options, H5P_DEFAULT);
    if (dataset >= 0 &&
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0)
        rc = 0;
    H5Dclose(dataset);
    H5Pclose(options);
    H5Sclose(space);
    H5Tclose(type);
    return rc;
}

/* Seals the temporary file and flushes it.  -1 with errno. */
static int complete(const char *temp)
{
    int fd = open(temp, O_RDWR | O_CLOEXEC), rc = -1;

    if (fd < 0)
        return -1;
    if (gcal_record_seal(fd) == 0 && fchmod(fd, 0644) == 0 &&
        TEMP_FAILURE_RETRY(fsync(fd)) == 0)
        rc = 0;
    close(fd);
    return rc;
}

static int sync_folder(char *path)
{
    int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd < 0)
        return -1;
    rc = TEMP_FAILURE_RETRY(fsync(fd));
    close(fd);
    return rc;
}

/* Renames the temporary file to the record. */
static int move_in_place(struct gcal_record_writer *w, struct gcal_error *err)
{
    char *copy = strdup(w->path);
    int rc = -1;

    if (!copy)
        return gcal_error_memory(err);
    if (complete(w->temp) == 0 && TEMP_FAILURE_RETRY(rename(w->temp, w->path)) == 0) {
        free(w->temp);
        w->temp = NULL;
        rc = sync_folder(copy);
    }
    if (rc < 0)
        gcal_error_set(err, GCAL_ESTORE, "record %s: %s", w->path, strerror(errno));
    free(copy);
    return rc;
}

int gcal_record_file_finish(struct gcal_record_writer *writer,
                            const struct gcal_record_header *header,
                            struct gcal_error *err)
{
    const struct gcal_catalogue_files *files = &header->catalogue_files;
    int rc = 0;

    if (writer->given_up)
        rc = gcal_error_set(err, GCAL_ESTORE, "not all of it could be written");
    else if (gcal_record_table_append(&writer->tables[GCAL_RECORD_TABLE_CATALOGUE_FILES],
                                      files->items, files->n, err) < 0)
        rc = -1;
    else if (put_header(writer->file, header) < 0)
        rc = gcal_error_set(err, GCAL_ESTORE, "the header cannot be written");
    else
        rc = close_file(writer, err);
    rc = rc < 0 ? failed(writer, err) : move_in_place(writer, err);
    gcal_record_file_abandon(writer);
    return rc;
}
