/* layout.c - the tables of a record: names, columns, rows */
#include "store/record/private.h"

#define KERNEL_ROW(...)      GCAL_FIELD(struct gcal_record_kernel_row, __VA_ARGS__)
#define SIZE_ROW(...)        GCAL_FIELD(struct gcal_record_size_row, __VA_ARGS__)
#define MEASUREMENT_ROW(...) GCAL_FIELD(struct gcal_record_measurement_row, __VA_ARGS__)
#define LOST_ROW(...)        GCAL_FIELD(struct gcal_record_lost_row, __VA_ARGS__)

/* ---- columns that the exchanged structs do not have ---- */

static const struct gcal_field kernel_arrays[] = {
    KERNEL_ROW(U64, "first_size", first_size, NULL, "row of sizes"),
    KERNEL_ROW(U64, "n_sizes", kernel.n_sizes, NULL, "number of sizes"),
    { 0 },
};

static const struct gcal_field size_fields[] = {
    SIZE_ROW(TEXT, "name", name, NULL, "size parameter of a kernel"),
    SIZE_ROW(F64, "value", value, "1", "its value"),
    { 0 },
};

static const struct gcal_field measurement_keys[] = {
    MEASUREMENT_ROW(U64, "device", device, NULL, "row of devices"),
    MEASUREMENT_ROW(U64, "kernel", kernel, NULL, "row of kernels"),
    { 0 },
};

static const struct gcal_field measurement_arrays[] = {
    MEASUREMENT_ROW(U64, "first_sample", first_sample, NULL, "row of samples"),
    MEASUREMENT_ROW(U64, "n_samples", m.n_samples, NULL, "number of samples"),
    { 0 },
};

static const struct gcal_field lost_fields[] = {
    LOST_ROW(TEXT, "node", node, NULL, "name of the node"),
    LOST_ROW(INT, "rank", rank, NULL, "rank that did not finish"),
    LOST_ROW(TEXT, "reason", reason, NULL, "why"),
    { 0 },
};

/* ---- tables ---- */

const struct gcal_record_table_layout gcal_record_layout[GCAL_RECORD_N_TABLES] = {
    [GCAL_RECORD_TABLE_DEVICES] = { "devices",
                                    sizeof(struct gcal_run_device),
                                    64,
                                    { { gcal_run_device_fields, 0 },
                                      { gcal_device_info_fields,
                                        offsetof(struct gcal_run_device, info) } } },
    [GCAL_RECORD_TABLE_KERNELS] = { "kernels",
                                    sizeof(struct gcal_record_kernel_row),
                                    256,
                                    { { gcal_run_kernel_fields,
                                        offsetof(struct gcal_record_kernel_row, kernel) },
                                      { kernel_arrays, 0 } } },
    [GCAL_RECORD_TABLE_SIZES] = { "sizes",
                                  sizeof(struct gcal_record_size_row),
                                  256,
                                  { { size_fields, 0 } } },
    [GCAL_RECORD_TABLE_MEASUREMENTS] = { "measurements",
                                         sizeof(struct gcal_record_measurement_row),
                                         1024,
                                         { { measurement_keys, 0 },
                                           { gcal_measurement_fields,
                                             offsetof(struct gcal_record_measurement_row,
                                                      m) },
                                           { measurement_arrays, 0 } } },
    [GCAL_RECORD_TABLE_SAMPLES] = { "samples",
                                    sizeof(struct gcal_measurement_sample),
                                    8192,
                                    { { gcal_measurement_sample_fields, 0 } } },
    [GCAL_RECORD_TABLE_LOST] = { "lost",
                                 sizeof(struct gcal_record_lost_row),
                                 64,
                                 { { lost_fields, 0 } } },
};

#define RUN(member) offsetof(struct gcal_record_header, member)

const struct gcal_record_attribute gcal_record_attributes[] = {
    { "run_id", RUN(run_id), false },
    { "started_utc", RUN(started_utc), false },
    { "finished_utc", RUN(finished_utc), false },
    { "gpucal_version", RUN(gpucal_version), false },
    { "launcher", RUN(launcher), false },
    { "config_file", RUN(config_file), false },
    { "catalogue", RUN(catalogue), true },
    { 0 },
};
