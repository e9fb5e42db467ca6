#include "store/record/private.h"

#define DEVICE(member) offsetof(struct gcal_run_device, member)
#define INFO(member)   offsetof(struct gcal_run_device, info.member)
#define KERNEL(member) offsetof(struct gcal_record_kernel_row, kernel.member)
#define M(member)      offsetof(struct gcal_record_measurement_row, m.member)
#define SAMPLE(member) offsetof(struct gcal_measurement_sample, member)

static const struct gcal_record_column devices[] = {
    { "node", GCAL_RECORD_COLUMN_TEXT, DEVICE(node), NULL },
    { "rank", GCAL_RECORD_COLUMN_INT, DEVICE(rank), NULL },
    { "failure", GCAL_RECORD_COLUMN_OPTIONAL, DEVICE(failure), NULL },
    { "uid", GCAL_RECORD_COLUMN_TEXT, INFO(uid), NULL },
    { "type", GCAL_RECORD_COLUMN_TEXT, INFO(type), NULL },
    { "name", GCAL_RECORD_COLUMN_TEXT, INFO(name), NULL },
    { "vendor", GCAL_RECORD_COLUMN_TEXT, INFO(vendor), NULL },
    { "platform", GCAL_RECORD_COLUMN_TEXT, INFO(platform), NULL },
    { "driver", GCAL_RECORD_COLUMN_TEXT, INFO(driver), NULL },
    { "version", GCAL_RECORD_COLUMN_TEXT, INFO(version), NULL },
    { "device_type", GCAL_RECORD_COLUMN_TEXT, INFO(device_type), NULL },
    { "pci", GCAL_RECORD_COLUMN_TEXT, INFO(pci), NULL },
    { "compute_units", GCAL_RECORD_COLUMN_U64, INFO(compute_units), NULL },
    { "max_work_group_size", GCAL_RECORD_COLUMN_U64, INFO(max_work_group_size), NULL },
    { "sub_group_size", GCAL_RECORD_COLUMN_U64, INFO(sub_group_size), NULL },
    { "max_clock", GCAL_RECORD_COLUMN_F64, INFO(max_clock_hz), "Hz" },
    { "global_memory", GCAL_RECORD_COLUMN_F64, INFO(global_memory_bytes), "byte" },
    { "max_alloc", GCAL_RECORD_COLUMN_F64, INFO(max_alloc_bytes), "byte" },
    { "local_memory", GCAL_RECORD_COLUMN_F64, INFO(local_memory_bytes), "byte" },
    { "cache", GCAL_RECORD_COLUMN_F64, INFO(cache_bytes), "byte" },
    { "timer_resolution", GCAL_RECORD_COLUMN_F64, INFO(timer_resolution_s), "s" },
    { "fp16", GCAL_RECORD_COLUMN_BOOL, INFO(fp16), NULL },
    { "fp64", GCAL_RECORD_COLUMN_BOOL, INFO(fp64), NULL },
    { 0 },
};

static const struct gcal_record_column kernels[] = {
    { "id", GCAL_RECORD_COLUMN_TEXT, KERNEL(id), NULL },
    { "name", GCAL_RECORD_COLUMN_TEXT, KERNEL(name), NULL },
    { "generator", GCAL_RECORD_COLUMN_TEXT, KERNEL(generator), NULL },
    { "family", GCAL_RECORD_COLUMN_TEXT, KERNEL(family), NULL },
    { "entry", GCAL_RECORD_COLUMN_TEXT, KERNEL(entry), NULL },
    { "launch", GCAL_RECORD_COLUMN_TEXT, KERNEL(launch), NULL },
    { "build_options", GCAL_RECORD_COLUMN_TEXT, KERNEL(build_options), NULL },
    { "source", GCAL_RECORD_COLUMN_TEXT, KERNEL(source), NULL },
    { "profile", GCAL_RECORD_COLUMN_TEXT, KERNEL(profile), NULL },
    { "models", GCAL_RECORD_COLUMN_TEXT, KERNEL(models), NULL },
    { "first_size", GCAL_RECORD_COLUMN_U64,
      offsetof(struct gcal_record_kernel_row, first_size), NULL },
    { "n_sizes", GCAL_RECORD_COLUMN_U64, KERNEL(n_sizes), NULL },
    { 0 },
};

static const struct gcal_record_column sizes[] = {
    { "name", GCAL_RECORD_COLUMN_TEXT, offsetof(struct gcal_record_size_row, name),
      NULL },
    { "value", GCAL_RECORD_COLUMN_F64, offsetof(struct gcal_record_size_row, value),
      "1" },
    { 0 },
};

static const struct gcal_record_column measurements[] = {
    { "device", GCAL_RECORD_COLUMN_U64,
      offsetof(struct gcal_record_measurement_row, device), NULL },
    { "kernel", GCAL_RECORD_COLUMN_U64,
      offsetof(struct gcal_record_measurement_row, kernel), NULL },
    { "status", GCAL_RECORD_COLUMN_STATUS, M(status), NULL },
    { "stop", GCAL_RECORD_COLUMN_STOP, M(stop), NULL },
    { "detail", GCAL_RECORD_COLUMN_OPTIONAL, M(detail), NULL },
    { "n_warmup", GCAL_RECORD_COLUMN_U64, M(n_warmup), NULL },
    { "checked", GCAL_RECORD_COLUMN_BOOL, M(checked), NULL },
    { "worst_difference", GCAL_RECORD_COLUMN_F64, M(worst_difference), "1" },
    { "first_sample", GCAL_RECORD_COLUMN_U64,
      offsetof(struct gcal_record_measurement_row, first_sample), NULL },
    { "n_samples", GCAL_RECORD_COLUMN_U64, M(n_samples), NULL },
    { 0 },
};

static const struct gcal_record_column samples[] = {
    { "time", GCAL_RECORD_COLUMN_F64, SAMPLE(time_s), "s" },
    { "host_time", GCAL_RECORD_COLUMN_F64, SAMPLE(host_s), "s" },
    { "order", GCAL_RECORD_COLUMN_U64, SAMPLE(order), NULL },
    { "clock", GCAL_RECORD_COLUMN_F64, SAMPLE(clock_hz), "Hz" },
    { "temperature", GCAL_RECORD_COLUMN_F64, SAMPLE(temperature_c), "degC" },
    { "throttle", GCAL_RECORD_COLUMN_U64, SAMPLE(throttle), NULL },
    { 0 },
};

static const struct gcal_record_column lost[] = {
    { "node", GCAL_RECORD_COLUMN_TEXT, offsetof(struct gcal_record_lost_row, node),
      NULL },
    { "rank", GCAL_RECORD_COLUMN_INT, offsetof(struct gcal_record_lost_row, rank), NULL },
    { "reason", GCAL_RECORD_COLUMN_TEXT, offsetof(struct gcal_record_lost_row, reason),
      NULL },
    { 0 },
};

const struct gcal_record_table_layout gcal_record_layout[GCAL_RECORD_N_TABLES] = {
    [GCAL_RECORD_TABLE_DEVICES] = { "devices", sizeof(struct gcal_run_device), 64,
                                    devices },
    [GCAL_RECORD_TABLE_KERNELS] = { "kernels", sizeof(struct gcal_record_kernel_row), 256,
                                    kernels },
    [GCAL_RECORD_TABLE_SIZES] = { "sizes", sizeof(struct gcal_record_size_row), 256,
                                  sizes },
    [GCAL_RECORD_TABLE_MEASUREMENTS] = { "measurements",
                                         sizeof(struct gcal_record_measurement_row), 1024,
                                         measurements },
    [GCAL_RECORD_TABLE_SAMPLES] = { "samples", sizeof(struct gcal_measurement_sample),
                                    8192, samples },
    [GCAL_RECORD_TABLE_LOST] = { "lost", sizeof(struct gcal_record_lost_row), 64, lost },
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
