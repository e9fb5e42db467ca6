/* record.h - a run on disk: its HDF5 record, and the journal until the run ends
 *
 * Layout of the record: docs/gpucal-record.5.  A record is written to a temporary file in
 * its folder and renamed, so it is complete or missing.  The journal is a sequence of
 * frames (kernels/base/wire.h), each flushed when it is appended; an incomplete last frame
 * is dropped by the reader.
 */
#ifndef GCAL_STORE_RECORD_H
#define GCAL_STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/model/run/catalogue_files.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/link.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"

struct gcal_error;

struct gcal_record_header {
    char *run_id;                     /* "20261121T041705Z-1a2b3c4d" */
    char *started_utc, *finished_utc; /* finished NULL in a journal */
    char *gpucal_version;
    char *launcher;    /* "slurm job 17 step 0", "mpirun", "none" */
    char *config;      /* the configuration's text */
    char *config_file; /* its name */
    char *catalogue;   /* fingerprint of the measurement kernels */
    struct gcal_catalogue_files catalogue_files; /* beside the built-in ones */
    uint64_t seed;
    uint32_t n_ranks;
    bool simulated; /* by a test device: not published */
    bool in_store;  /* read from a store, which has it already */
};

void gcal_record_header_clear(struct gcal_record_header *header);

/* ---- journal ---- */

struct gcal_journal;

/* A new journal.  GCAL_ESTORE if it cannot be created or exists. */
struct gcal_journal *gcal_journal_create(const char *path,
                                         const struct gcal_record_header *header,
                                         struct gcal_error *err);
/* An existing journal, to be continued; its incomplete last entry is cut off. */
struct gcal_journal *gcal_journal_append(const char *path, struct gcal_error *err);
void gcal_journal_close(struct gcal_journal *journal);
struct gcal_run_sink gcal_journal_sink(struct gcal_journal *journal);

/* Reads a journal: the header (the caller's to clear), then every entry into 'sink', in
 * the order written.
 */
int gcal_journal_replay(const char *path, struct gcal_record_header *header,
                        const struct gcal_run_sink *sink, struct gcal_error *err);

/* ---- record, writing ---- */

struct gcal_record_writer;

/* Entries may come in any order, but a measurement after its device and its kernel.  A
 * kernel, counted for one sub-group size, or a device is written once; of a device that
 * comes again, 'failure' is updated.  A measurement refers to the kernel counted for the
 * device's sub-group size, or else to the one counted for any.
 */
struct gcal_record_writer *gcal_record_create(const char *path, struct gcal_error *err);
struct gcal_run_sink gcal_record_sink(struct gcal_record_writer *writer);
/* Writes the header, flushes, renames.  Destroys 'writer' in any case; after -1 an
 * earlier file is unchanged.
 */
int gcal_record_finish(struct gcal_record_writer *writer,
                       const struct gcal_record_header *header, struct gcal_error *err);
/* Removes the temporary file, and destroys 'writer'. */
void gcal_record_abandon(struct gcal_record_writer *writer);

/* ---- record, reading ---- */

/* Everything but its measurements is in memory, and of store/record alone to change. */
struct gcal_record {
    const struct gcal_record_header *header; /* of the newest run */
    size_t n_devices, n_kernels, n_links, n_lost, n_measurements;
    struct gcal_run_device *devices;
    const struct gcal_record_header *
        *device_run; /* by device: the run that measured it */
    struct gcal_run_kernel *kernels;
    struct gcal_run_link *links;   /* of a file; none where several are collected */
    char **lost;                   /* "n1 rank 1: no sign of life for 20 s" */
    struct gcal_record_rest *rest; /* opaque */
};

/* Opens a record of the current format version.  NULL with 'err'
 * (GCAL_EINPUT) for a file that is missing, truncated, or not a record.
 */
struct gcal_record *gcal_record_open(const char *path, struct gcal_error *err);
void gcal_record_close(struct gcal_record *record);

/* Reads all of a file that somebody gave, in a process of its own: -1 with 'err' (GCAL_EINPUT) if
 * that ends by a crash, or by its limit of processor time.  0: it is to be opened.
 */
int gcal_record_try(const char *path, struct gcal_error *err);

/* Reads a measurement with its samples (of a record in memory, their median); the caller's
 * to clear.  'device' and 'kernel' (or NULL): their indices.  Fastest in the order of the
 * record.  Not for several threads at a time.
 */
int gcal_record_measurement(const struct gcal_record *record, size_t i,
                            struct gcal_measurement *m, size_t *device, size_t *kernel,
                            struct gcal_error *err);

/* ---- record, in memory ---- */

/* Several runs as one record, without what fits do not need: a measurement has the median of
 * its samples, a kernel no source.  An empty one; gcal_record_close() frees it.
 */
struct gcal_record *gcal_record_collect(void);

/* Adds a run, to which the devices that are added next belong. */
void gcal_record_add_run(struct gcal_record *record,
                         const struct gcal_record_header *header);
/* Adds a device of the last run. */
void gcal_record_add_device(struct gcal_record *record,
                            const struct gcal_run_device *device);
/* Adds a kernel, or to the one of the same id and sub-group size the uses that it lacks.
 * Returns its place.
 */
size_t gcal_record_add_kernel(struct gcal_record *record,
                              const struct gcal_run_kernel *kernel);
/* Adds a measurement of device and kernel 'device' and 'kernel', by m->median_s and
 * m->spread; samples are ignored.
 */
void gcal_record_add_measurement(struct gcal_record *record, size_t device, size_t kernel,
                                 const struct gcal_measurement *m);
void gcal_record_add_lost(struct gcal_record *record, const char *text);
/* Replaces the models that device 'i' keeps (struct gcal_run_device); takes 'kept'. */
void gcal_record_set_kept(struct gcal_record *record, size_t i, char *kept);

#endif
