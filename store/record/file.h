/* file.h - a record's file: the part that knows HDF5, in the module gpucal-record.so
 *
 * A table is an HDF5 group with one dataset per column, all of one length, so that
 * h5py's f["measurements/status"][:] is a column and h5dump shows it by name.  In memory
 * a row is a struct, and a column a field of it (kernels/model/run/field.h).
 */
#ifndef GCAL_STORE_RECORD_FILE_H
#define GCAL_STORE_RECORD_FILE_H

#include <hdf5.h>

#include "kernels/base/arena.h"
#include "kernels/model/run/field.h"
#include "store/record/private.h"

#define GCAL_RECORD_FORMAT  "gpucal-record"
#define GCAL_RECORD_VERSION 7

enum gcal_record_table_id {
    GCAL_RECORD_TABLE_DEVICES,
    GCAL_RECORD_TABLE_KERNELS,
    GCAL_RECORD_TABLE_SIZES,
    GCAL_RECORD_TABLE_USES,
    GCAL_RECORD_TABLE_MEASUREMENTS,
    GCAL_RECORD_TABLE_SAMPLES,
    GCAL_RECORD_TABLE_LOST,
    GCAL_RECORD_TABLE_CATALOGUE_FILES,
    /* Of records with links alone: the first of the tables that may be missing. */
    GCAL_RECORD_TABLE_LINKS,
    GCAL_RECORD_TABLE_LINK_TIMES,
    GCAL_RECORD_N_TABLES,
};

#define GCAL_RECORD_MAX_COLUMNS 32
#define GCAL_RECORD_MAX_PARTS   4

/* Columns of one struct within a row. */
struct gcal_record_part {
    const struct gcal_field *fields; /* NULL ends the parts */
    size_t offset;                   /* of the struct in the row */
};

struct gcal_record_table_layout {
    const char *name;
    size_t row_bytes;
    hsize_t chunk_rows;
    struct gcal_record_part parts[GCAL_RECORD_MAX_PARTS + 1];
};

extern const struct gcal_record_table_layout gcal_record_layout[GCAL_RECORD_N_TABLES];

/* Rows that are not exchanged structs. */
struct gcal_record_kernel_row {
    struct gcal_run_kernel kernel;
    uint64_t first_size; /* in table sizes */
    uint64_t first_use;  /* in table uses */
    uint64_t n_uses;
};

struct gcal_record_size_row {
    char *name;
    double value;
};

struct gcal_record_link_row {
    struct gcal_run_link link;
    uint64_t first_time; /* in table link_times */
};

struct gcal_record_lost_row {
    char *node, *reason;
    int rank;
};

/* The run's attributes, on the root group. */
struct gcal_record_attribute {
    const char *name;
    size_t offset;
};

extern const struct gcal_record_attribute
    gcal_record_attributes[]; /* ended by a NULL name */

struct gcal_record_table {
    const struct gcal_record_table_layout *layout;
    size_t n_columns;
    struct gcal_field columns[GCAL_RECORD_MAX_COLUMNS]; /* offsets are those in a row */
    hid_t datasets[GCAL_RECORD_MAX_COLUMNS];            /* by column, 0: not open */
    hsize_t n_rows;
};

/* More than any measurement has: a limit for damaged counts. */
#define GCAL_RECORD_MAX_SAMPLES 5000000u

struct gcal_record_file {
    hid_t id; /* -1: not open */
    struct gcal_record_table tables[GCAL_RECORD_N_TABLES];
    struct gcal_record_block *block; /* read ahead; measurements.c */
};

/* ---- the functions of the module ---- */

/* write.c */
struct gcal_record_writer *gcal_record_file_create(const char *path,
                                                   struct gcal_error *err);
struct gcal_run_sink gcal_record_file_sink(struct gcal_record_writer *writer);
int gcal_record_file_finish(struct gcal_record_writer *writer,
                            const struct gcal_record_header *header,
                            struct gcal_error *err);
void gcal_record_file_abandon(struct gcal_record_writer *writer);

/* read.c */
int gcal_record_file_open(struct gcal_record *record, const char *path,
                          struct gcal_error *err);
void gcal_record_file_close(struct gcal_record_file *file);

/* measurements.c */
int gcal_record_file_measurement(const struct gcal_record *record, size_t i,
                                 struct gcal_record_measurement_row *row,
                                 struct gcal_error *err);

/* ---- its own ---- */

/* For the rows that are read ahead. */
struct gcal_record_block *gcal_record_block_create(void);
void gcal_record_block_destroy(struct gcal_record_block *block);

#define GCAL_RECORD_SEAL_BYTES 512

/* Writes the seal of a complete file; -1 with errno. */
int gcal_record_seal(int fd);
/* 0 if the file is unchanged, or has no seal; -1 with 'err'. */
int gcal_record_check_seal(int fd, struct gcal_error *err);

/* Starts HDF5 without its messages and plug-ins.  -1 with 'err'. */
int gcal_record_hdf5_start(struct gcal_error *err);

/* Variable-length UTF-8; the caller's to close. */
hid_t gcal_record_text_type(void);

/* In file 'file'.  The functions below return 0, or -1 with 'err' naming table and
 * column but not the file.
 */
int gcal_record_table_create(struct gcal_record_table *table, hid_t file,
                             enum gcal_record_table_id id, struct gcal_error *err);
int gcal_record_table_open(struct gcal_record_table *table, hid_t file,
                           enum gcal_record_table_id id, struct gcal_error *err);
/* -1 if not all could be written. */
int gcal_record_table_close(struct gcal_record_table *table, struct gcal_error *err);

/* 'rows': 'count' structs of the layout's row_bytes. */
int gcal_record_table_append(struct gcal_record_table *table, const void *rows,
                             size_t count, struct gcal_error *err);
/* Writes one column of an existing row. */
int gcal_record_table_rewrite(struct gcal_record_table *table, hsize_t row_index,
                              const char *column, const void *row,
                              struct gcal_error *err);
/* Fills the members that are columns; texts are in the arena.  'rows' starts zeroed. */
int gcal_record_table_read(struct gcal_arena *arena,
                           const struct gcal_record_table *table, hsize_t first,
                           size_t count, void *rows, struct gcal_error *err);

#endif
