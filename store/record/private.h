/* private.h - a record in memory, and the module that reads and writes its file */
#ifndef GCAL_STORE_RECORD_PRIVATE_H
#define GCAL_STORE_RECORD_PRIVATE_H

#include "kernels/base/arena.h"
#include "store/record/record.h"

struct gcal_record_measurement_row {
    struct gcal_measurement m;
    uint64_t device, kernel; /* rows of their tables */
    uint64_t first_sample;   /* in table samples */
};

/* A measurement of a record in memory. */
struct gcal_record_collected {
    size_t device, kernel;
    enum gcal_measurement_status status;
    size_t n_samples;
    double median_s, spread;
    struct gcal_built built;
    char *detail;
};

struct gcal_record_rest {
    struct gcal_arena *arena;       /* of all that does not grow with the measurements */
    struct gcal_record_file *file;  /* NULL: in memory */
    struct gcal_record_header *run; /* the newest; of a file: its only one */
    /* Of a record in memory (collect.c). */
    struct gcal_record_collected *collected; /* by measurement */
    size_t device_capacity, kernel_capacity, lost_capacity, collected_capacity;
    void *known_kernels; /* a tree by id and sub-group size */
};

/* ---- collect.c ---- */

/* Measurement 'i' of a record in memory. */
int gcal_record_collected_get(const struct gcal_record *record, size_t i,
                              struct gcal_record_measurement_row *row,
                              struct gcal_error *err);

/* ---- the module gpucal-record.so, the only user of HDF5 ----
 *
 * It is loaded at a program's first record (hdf5.c): loading libhdf5 and the fifty libraries that it needs
 * takes longer than many commands.
 */

struct gcal_record_module {
    const char *version; /* gpucal's */
    struct gcal_record_writer *(*create)(const char *path, struct gcal_error *err);
    struct gcal_run_sink (*sink)(struct gcal_record_writer *writer);
    int (*finish)(struct gcal_record_writer *writer,
                  const struct gcal_record_header *header, struct gcal_error *err);
    void (*abandon)(struct gcal_record_writer *writer);
    /* Fills an empty record; to be closed in any case. */
    int (*open)(struct gcal_record *record, const char *path, struct gcal_error *err);
    void (*close)(struct gcal_record_file *file);
    int (*measurement)(const struct gcal_record *record, size_t i,
                       struct gcal_record_measurement_row *row, struct gcal_error *err);
};

#endif
