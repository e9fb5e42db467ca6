/* journal.c - the journal of a run: appending, replaying */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/base/checksum.h"
#include "store/record/record.h"

#define JOURNAL_VERSION 8

/* Frame types.  A payload starts with a checksum of the rest: after a power failure a
 * file may have its new length without its new contents.
 */
enum entry {
    ENTRY_HEADER = 1,
    ENTRY_DEVICE,
    ENTRY_KERNEL,
    ENTRY_MEASUREMENT,
    ENTRY_LOST,
    ENTRY_LINK,
};

#define CHECKSUM_BYTES 8

struct gcal_journal {
    int fd;
    off_t size; /* up to the end of the last complete entry */
    char *path;
};

void gcal_record_header_clear(struct gcal_record_header *header)
{
    free(header->run_id);
    free(header->started_utc);
    free(header->finished_utc);
    free(header->gpucal_version);
    free(header->launcher);
    free(header->config);
    free(header->config_file);
    free(header->catalogue);
    gcal_catalogue_files_clear(&header->catalogue_files);
    *header = (struct gcal_record_header){ 0 };
}

static int get_header(struct gcal_wire *wire, struct gcal_record_header *h,
                      struct gcal_error *err)
{
    uint32_t version = gcal_wire_get_u32(wire);

    if (!wire->bad && version != JOURNAL_VERSION)
        return gcal_error_set(err, GCAL_EINPUT,
                              "unknown version %u of the journal: finish this run with "
                              "the gpucal that began it",
                              version);
    h->run_id = gcal_wire_get_text(wire);
    h->started_utc = gcal_wire_get_text(wire);
    h->finished_utc = gcal_wire_get_text(wire);
    h->gpucal_version = gcal_wire_get_text(wire);
    h->launcher = gcal_wire_get_text(wire);
    h->config = gcal_wire_get_text(wire);
    h->config_file = gcal_wire_get_text(wire);
    h->catalogue = gcal_wire_get_text(wire);
    gcal_catalogue_files_get(wire, &h->catalogue_files);
    h->seed = gcal_wire_get_u64(wire);
    h->n_ranks = gcal_wire_get_u32(wire);
    h->simulated = gcal_wire_get_u32(wire) != 0;
    if (gcal_wire_done(wire, "header", err) == 0)
        return 0;
    gcal_record_header_clear(h);
    return -1;
}

static uint64_t checksum(const char *data, size_t size)
{
    return gcal_checksum(GCAL_CHECKSUM_START, data, size);
}

/* ---- writing ---- */

/* Appends an entry and waits until it is on the disk.  If that fails, cuts off what was
 * written of it, so that later entries can be read.  Frees 'body'.
 */
static int append(struct gcal_journal *j, enum entry type, struct gcal_buf *body,
                  struct gcal_error *err)
{
    struct gcal_buf payload = { .failed = body->failed };
    int rc = -1;

    gcal_wire_put_u64(&payload, checksum(body->data, body->size));
    gcal_buf_put(&payload, body->data, body->size);
    if (gcal_wire_frame_write(j->fd, -1, type, &payload, err) < 0) {
        if (err)
            err->code = GCAL_ESTORE;
        gcal_error_prefix(err, "journal %s", j->path);
    } else if (fdatasync(j->fd) < 0) {
        gcal_error_set(err, GCAL_ESTORE, "journal %s: %s", j->path, strerror(errno));
    } else {
        j->size = lseek(j->fd, 0, SEEK_CUR);
        rc = 0;
    }
    if (rc < 0 && (ftruncate(j->fd, j->size) < 0 || lseek(j->fd, j->size, SEEK_SET) < 0))
        gcal_error_prefix(err, "an incomplete entry could not be removed");
    gcal_buf_free(&payload);
    gcal_buf_free(body);
    return rc;
}

static int add_device(void *context, const struct gcal_run_device *device,
                      struct gcal_error *err)
{
    struct gcal_buf body = { 0 };

    gcal_run_device_put(&body, device);
    return append(context, ENTRY_DEVICE, &body, err);
}

static int add_kernel(void *context, const struct gcal_run_kernel *kernel,
                      struct gcal_error *err)
{
    struct gcal_buf body = { 0 };

    gcal_run_kernel_put(&body, kernel);
    return append(context, ENTRY_KERNEL, &body, err);
}

static int add_measurement(void *context, const struct gcal_measurement *m,
                           struct gcal_error *err)
{
    struct gcal_buf body = { 0 };

    gcal_measurement_put(&body, m);
    return append(context, ENTRY_MEASUREMENT, &body, err);
}

static int add_lost(void *context, const char *node, int rank, const char *reason,
                    struct gcal_error *err)
{
    struct gcal_buf body = { 0 };

    gcal_wire_put_text(&body, node);
    gcal_wire_put_u32(&body, (uint32_t)rank);
    gcal_wire_put_text(&body, reason);
    return append(context, ENTRY_LOST, &body, err);
}

static int add_link(void *context, const struct gcal_run_link *link,
                    struct gcal_error *err)
{
    struct gcal_buf body = { 0 };

    gcal_run_link_put(&body, link);
    return append(context, ENTRY_LINK, &body, err);
}

struct gcal_run_sink gcal_journal_sink(struct gcal_journal *journal)
{
    return (struct gcal_run_sink){ .context = journal,
                                   .device = add_device,
                                   .kernel = add_kernel,
                                   .measurement = add_measurement,
                                   .link = add_link,
                                   .lost = add_lost };
}

/* ---- reading ---- */

static bool is_whole(const struct gcal_wire_frame *frame)
{
    struct gcal_wire wire = gcal_wire_open(frame->payload.data, frame->payload.size);
    uint64_t expected = gcal_wire_get_u64(&wire);

    return !wire.bad && expected == checksum((const char *)wire.at, wire.left);
}

/* Returns whether a whole entry begins after 'start', whose entry then is not the last one: its
 * length, which no checksum covers, is damaged. /
 */
static bool has_later_entry(int fd, off_t start)
{
    const char magic[] = "gcal";
    char block[65536];
    ssize_t got;

    for (off_t at = start + 1; (got = pread(fd, block, sizeof(block), at)) > 3;
         at += got - 3)
        for (ssize_t i = 0; i + 3 < got; i++) {
            struct gcal_wire_frame frame = { 0 };
            bool whole;

            if (memcmp(block + i, magic, 4) != 0 || lseek(fd, at + i, SEEK_SET) < 0 ||
                gcal_wire_frame_read(fd, -1, &frame, NULL) <= 0)
                continue;
            whole = is_whole(&frame);
            gcal_buf_free(&frame.payload);
            if (whole)
                return true;
        }
    return false;
}

/* The next entry.  Returns 1; 0 at the end or at an incomplete last entry; -1 with 'err'
 * for damage before later entries.
 */
static int next_entry(int fd, struct gcal_wire_frame *frame, struct gcal_error *err)
{
    off_t start = lseek(fd, 0, SEEK_CUR);
    char block[4096];
    ssize_t got;
    int rc = gcal_wire_frame_read(fd, -1, frame, err);
    bool at_end = rc == 0;

    if (rc > 0) {
        if (is_whole(frame))
            return 1;
        gcal_buf_free(&frame->payload);
        at_end = read(fd, block, 1) == 0;
    }
    /* The last entry: not all of its bytes reached the disk. */
    if (at_end && !has_later_entry(fd, start))
        return 0;
    if (rc < 0 && errno == EPROTO && lseek(fd, start, SEEK_SET) >= 0) {
        /* Some file systems leave zeros of an incomplete entry. */
        while ((got = read(fd, block, sizeof(block))) > 0)
            if (block[0] || memcmp(block, block + 1, (size_t)got - 1) != 0)
                break;
        if (got == 0)
            return 0;
    }
    return gcal_error_set(err, GCAL_EINPUT, "damaged at byte %lld", (long long)start);
}

static int replay_entry(const struct gcal_wire_frame *frame,
                        const struct gcal_run_sink *sink, struct gcal_error *err)
{
    struct gcal_wire wire = gcal_wire_open(frame->payload.data + CHECKSUM_BYTES,
                                           frame->payload.size - CHECKSUM_BYTES);
    struct gcal_run_device device;
    struct gcal_run_kernel kernel;
    struct gcal_measurement m;
    struct gcal_run_link link;
    char *node, *reason;
    int rank, rc = -1;

    switch (frame->type) {
    case ENTRY_DEVICE:
        if (gcal_run_device_get(&wire, &device, err) == 0) {
            rc = sink->device(sink->context, &device, err);
            gcal_run_device_clear(&device);
        }
        return rc;
    case ENTRY_KERNEL:
        if (gcal_run_kernel_get(&wire, &kernel, err) == 0) {
            rc = sink->kernel(sink->context, &kernel, err);
            gcal_run_kernel_clear(&kernel);
        }
        return rc;
    case ENTRY_MEASUREMENT:
        if (gcal_measurement_get(&wire, &m, err) == 0) {
            rc = sink->measurement(sink->context, &m, err);
            gcal_measurement_clear(&m);
        }
        return rc;
    case ENTRY_LINK:
        if (gcal_run_link_get(&wire, &link, err) == 0) {
            rc = sink->link(sink->context, &link, err);
            gcal_run_link_clear(&link);
        }
        return rc;
    case ENTRY_LOST:
        node = gcal_wire_get_text(&wire);
        rank = (int)gcal_wire_get_u32(&wire);
        reason = gcal_wire_get_text(&wire);
        if (!node || !reason)
            wire.bad = true;
        if (gcal_wire_done(&wire, "lost rank", err) == 0)
            rc = sink->lost(sink->context, node, rank, reason, err);
        free(node);
        free(reason);
        return rc;
    }
    return gcal_error_set(err, GCAL_EINPUT, "entry of unknown type %u", frame->type);
}

static int replay_header(int fd, struct gcal_record_header *header,
                         struct gcal_error *err)
{
    struct gcal_wire_frame frame = { 0 };
    struct gcal_wire wire;
    int rc = next_entry(fd, &frame, err);

    if (rc > 0 && frame.type == ENTRY_HEADER) {
        wire = gcal_wire_open(frame.payload.data + CHECKSUM_BYTES,
                              frame.payload.size - CHECKSUM_BYTES);
        rc = get_header(&wire, header, err);
    } else {
        rc = gcal_error_set(err, GCAL_EINPUT, "not a gpucal journal");
    }
    gcal_buf_free(&frame.payload);
    return rc;
}

static int replay(int fd, struct gcal_record_header *header,
                  const struct gcal_run_sink *sink, struct gcal_error *err)
{
    struct gcal_wire_frame frame;
    int rc;

    if (replay_header(fd, header, err) < 0)
        return -1;
    while ((rc = next_entry(fd, &frame, err)) > 0) {
        rc = replay_entry(&frame, sink, err);
        gcal_buf_free(&frame.payload);
        if (rc < 0)
            break;
    }
    if (rc < 0)
        gcal_record_header_clear(header);
    return rc;
}

/* Opens a regular file: others might block. */
static int open_regular(const char *path, int flags, struct gcal_error *err)
{
    struct stat info;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &info) < 0)
        gcal_error_set(err, GCAL_EINPUT, "journal %s: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        gcal_error_set(err, GCAL_EINPUT, "journal %s: not a regular file", path);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int gcal_journal_replay(const char *path, struct gcal_record_header *header,
                        const struct gcal_run_sink *sink, struct gcal_error *err)
{
    int fd = open_regular(path, O_RDONLY, err), rc;

    *header = (struct gcal_record_header){ 0 };
    if (fd < 0)
        return -1;
    rc = replay(fd, header, sink, err);
    if (rc < 0)
        gcal_error_prefix(err, "journal %s", path);
    close(fd);
    return rc;
}

/* ---- opening for writing ---- */

/* Takes 'fd', which is closed on failure.  One process at a time may append. */
static struct gcal_journal *journal_new(int fd, const char *path, struct gcal_error *err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct gcal_journal *j = NULL;

    if (fcntl(fd, F_OFD_SETLK, &lock) < 0 && (errno == EAGAIN || errno == EACCES))
        gcal_error_set(err, GCAL_ESTORE,
                       "journal %s: another run is writing to it: wait for its end",
                       path);
    else if (!(j = calloc(1, sizeof(*j))) || !(j->path = strdup(path)))
        gcal_error_memory(err);
    else {
        j->fd = fd;
        return j;
    }
    free(j);
    close(fd);
    return NULL;
}

/* The name of a new file must reach the disk, too. */
static int sync_folder(const char *path, struct gcal_error *err)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = 0;

    if (fd < 0 || TEMP_FAILURE_RETRY(fsync(fd)) < 0)
        rc = gcal_error_set(err, GCAL_ESTORE, "journal %s: flush its folder: %s", path,
                            strerror(errno));
    if (fd >= 0)
        close(fd);
    free(copy);
    return rc;
}

struct gcal_journal *gcal_journal_create(const char *path,
                                         const struct gcal_record_header *header,
                                         struct gcal_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct gcal_buf body = { 0 };
    struct gcal_journal *j;

    if (fd < 0) {
        if (errno == EEXIST)
            gcal_error_set(err, GCAL_ESTORE,
                           "journal %s exists: continue it with --resume, or remove it",
                           path);
        else
            gcal_error_set(err, GCAL_ESTORE, "journal %s: %s", path, strerror(errno));
        return NULL;
    }
    if (!(j = journal_new(fd, path, err)))
        goto fail;
    gcal_wire_put_u32(&body, JOURNAL_VERSION);
    gcal_wire_put_text(&body, header->run_id);
    gcal_wire_put_text(&body, header->started_utc);
    gcal_wire_put_text(&body, header->finished_utc);
    gcal_wire_put_text(&body, header->gpucal_version);
    gcal_wire_put_text(&body, header->launcher);
    gcal_wire_put_text(&body, header->config);
    gcal_wire_put_text(&body, header->config_file);
    gcal_wire_put_text(&body, header->catalogue);
    gcal_catalogue_files_put(&body, &header->catalogue_files);
    gcal_wire_put_u64(&body, header->seed);
    gcal_wire_put_u32(&body, header->n_ranks);
    gcal_wire_put_u32(&body, header->simulated);
    if (append(j, ENTRY_HEADER, &body, err) == 0 && sync_folder(path, err) == 0)
        return j;
    gcal_journal_close(j);
fail:
    unlink(path); /* created here: O_EXCL */
    return NULL;
}

struct gcal_journal *gcal_journal_append(const char *path, struct gcal_error *err)
{
    int fd = open_regular(path, O_RDWR, err), rc;
    struct gcal_record_header header = { 0 };
    struct gcal_wire_frame frame;
    struct gcal_journal *j;

    if (fd < 0 || !(j = journal_new(fd, path, err)))
        return NULL;
    rc = replay_header(fd, &header, err);
    gcal_record_header_clear(&header);
    if (rc == 0)
        do {
            j->size = lseek(fd, 0, SEEK_CUR);
            if ((rc = next_entry(fd, &frame, err)) > 0)
                gcal_buf_free(&frame.payload);
        } while (rc > 0);
    if (rc < 0) {
        gcal_error_prefix(err, "journal %s", path);
    } else if (ftruncate(fd, j->size) < 0 || lseek(fd, j->size, SEEK_SET) < 0) {
        rc = gcal_error_set(err, GCAL_ESTORE, "journal %s: %s", path, strerror(errno));
    }
    if (rc == 0)
        return j;
    gcal_journal_close(j);
    return NULL;
}

void gcal_journal_close(struct gcal_journal *journal)
{
    if (!journal)
        return;
    close(journal->fd);
    free(journal->path);
    free(journal);
}
