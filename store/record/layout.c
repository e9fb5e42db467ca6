/* layout.c - the tables of a record: names, columns, rows */
#include "store/record/file.h"

#define KERNEL_ROW(...)      GCAL_FIELD(struct gcal_record_kernel_row, __VA_ARGS__)
#define SIZE_ROW(...)        GCAL_FIELD(struct gcal_record_size_row, __VA_ARGS__)
#define MEASUREMENT_ROW(...) GCAL_FIELD(struct gcal_record_measurement_row, __VA_ARGS__)
#define LINK_ROW(...)        GCAL_FIELD(struct gcal_record_link_row, __VA_ARGS__)
#define LOST_ROW(...)        GCAL_FIELD(struct gcal_record_lost_row, __VA_ARGS__)

/* ---- columns that the exchanged structs do not have ---- */

static const struct gcal_field kernel_arrays[] = {
    KERNEL_ROW(U64, "first_size", first_size, NULL, "row of sizes"),
    KERNEL_ROW(U64, "n_sizes", kernel.n_sizes, NULL, "number of sizes"),
    KERNEL_ROW(U64, "first_use", first_use, NULL, "row of uses"),
    KERNEL_ROW(U64, "n_uses", n_uses, NULL, "number of uses"),
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

static const struct gcal_field link_arrays[] = {
    LINK_ROW(U64, "first_time", first_time, NULL, "row of link_times"),
    LINK_ROW(U64, "n_times", link.n_times, NULL, "number of times"),
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
    [GCAL_RECORD_TABLE_DEVICES] = {
        .name = "devices",
        .row_bytes = sizeof(struct gcal_run_device),
        .chunk_rows = 64,
        .parts = { { gcal_run_device_fields, 0 },
                   { gcal_device_info_fields, offsetof(struct gcal_run_device, info) } },
    },
    [GCAL_RECORD_TABLE_KERNELS] = {
        .name = "kernels",
        .row_bytes = sizeof(struct gcal_record_kernel_row),
        .chunk_rows = 256,
        .parts = { { gcal_run_kernel_fields,
                     offsetof(struct gcal_record_kernel_row, kernel) },
                   { gcal_kernel_origin_fields,
                     offsetof(struct gcal_record_kernel_row, kernel.origin) },
                   { kernel_arrays, 0 } },
    },
    [GCAL_RECORD_TABLE_SIZES] = {
        .name = "sizes",
        .row_bytes = sizeof(struct gcal_record_size_row),
        .chunk_rows = 256,
        .parts = { { size_fields, 0 } },
    },
    [GCAL_RECORD_TABLE_USES] = {
        .name = "uses",
        .row_bytes = sizeof(struct gcal_kernel_use),
        .chunk_rows = 256,
        .parts = { { gcal_kernel_use_fields, 0 } },
    },
    [GCAL_RECORD_TABLE_MEASUREMENTS] = {
        .name = "measurements",
        .row_bytes = sizeof(struct gcal_record_measurement_row),
        .chunk_rows = 1024,
        .parts = { { measurement_keys, 0 },
                   { gcal_measurement_fields,
                     offsetof(struct gcal_record_measurement_row, m) },
                   { measurement_arrays, 0 } },
    },
    [GCAL_RECORD_TABLE_SAMPLES] = {
        .name = "samples",
        .row_bytes = sizeof(struct gcal_measurement_sample),
        .chunk_rows = 8192,
        .parts = { { gcal_measurement_sample_fields, 0 } },
    },
    [GCAL_RECORD_TABLE_LOST] = {
        .name = "lost",
        .row_bytes = sizeof(struct gcal_record_lost_row),
        .chunk_rows = 64,
        .parts = { { lost_fields, 0 } },
    },
    [GCAL_RECORD_TABLE_CATALOGUE_FILES] = {
        .name = "catalogue_files",
        .row_bytes = sizeof(struct gcal_catalogue_file),
        .chunk_rows = 64,
        .parts = { { gcal_catalogue_file_fields, 0 } },
    },
    [GCAL_RECORD_TABLE_LINKS] = {
        .name = "links",
        .row_bytes = sizeof(struct gcal_record_link_row),
        .chunk_rows = 256,
        .parts = { { gcal_run_link_fields, offsetof(struct gcal_record_link_row, link) },
                   { link_arrays, 0 } },
    },
    [GCAL_RECORD_TABLE_LINK_TIMES] = {
        .name = "link_times",
        .row_bytes = sizeof(struct gcal_run_link_time),
        .chunk_rows = 8192,
        .parts = { { gcal_run_link_time_fields, 0 } },
    },
};

#define RUN(member) offsetof(struct gcal_record_header, member)

const struct gcal_record_attribute gcal_record_attributes[] = {
    { "run_id", RUN(run_id) },
    { "started_utc", RUN(started_utc) },
    { "finished_utc", RUN(finished_utc) },
    { "gpucal_version", RUN(gpucal_version) },
    { "launcher", RUN(launcher) },
    { "config_file", RUN(config_file) },
    { "catalogue", RUN(catalogue) },
    { 0 },
};
