/* facts.c - what the calibration found of a device */
#include "store/facts/facts.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "store/params/params.h"

#define SECTOR_BYTES 32 /* of the model's features of traffic */
#define LINE_BYTES   128

enum { MOST = 4 };

/* How a fact follows from the sum of its parameters. */
enum how {
    SUM,        /* scale * sum */
    RATE,       /* scale / sum */
    RATE_UNITS, /* of all compute units: each takes the sum */
    RATE_LANES, /* of all work-items of their sub-groups as well */
    LARGEST,    /* the largest value of a feature among the measured kernels */
};

/* Which device kinds a fact is of: parameters of one name have another meaning on CPUs. */
enum kinds { ANY, GPU, CPU };

struct fact_source {
    const char *key, *text, *unit;
    bool (*is_from)(const struct gcal_params_model *model);
    enum kinds kinds;
    enum how how;
    double scale;
    const char *parameters[MOST]; /* the feature, of LARGEST */
};

#define GENERAL  gcal_params_model_is_general
#define TRANSFER gcal_params_model_is_of_transfers
#define SWEEPS   gcal_params_model_is_of_sweeps

#define COPY(way, host, words)                                                           \
    { "copy_" way "_" host,                                                              \
      "latency of a copy " words ", " host " memory",                                    \
      "s",                                                                               \
      TRANSFER,                                                                          \
      ANY,                                                                               \
      SUM,                                                                               \
      1,                                                                                 \
      { "p_copy_" way "_" host } },                                                      \
    {                                                                                    \
        "rate_" way "_" host, "copies " words ", " host " memory", "B/s", TRANSFER, ANY, \
            RATE, 1,                                                                     \
        {                                                                                \
            "p_byte_" way "_" host                                                       \
        }                                                                                \
    }

/* clang-format off */
static const struct fact_source sources[] = {
    { "launch", "launch of a kernel",
      "s", GENERAL, ANY, SUM, 1, { "p_launch" } },
    { "work_group", "launch of a work-group, of all compute units together",
      "s", GENERAL, ANY, SUM, 1, { "p_group" } },
    { "barrier", "barrier, per work-group on one compute unit",
      "s", GENERAL, GPU, SUM, 1, { "p_barrier" } },
    { "latency_operation", "latency of a multiply-add",
      "s", GENERAL, ANY, SUM, 1, { "p_latency_op" } },
    { "latency_local", "latency of local memory",
      "s", GENERAL, GPU, SUM, 1, { "p_latency_local" } },
    { "latency_l1", "latency of the first-level cache",
      "s", GENERAL, GPU, SUM, 1, { "p_latency_l1" } },
    { "latency_l2", "latency of the last-level cache",
      "s", GENERAL, GPU, SUM, 1, { "p_latency_l1", "p_latency_l2" } },
    { "latency_dram", "latency of memory",
      "s", GENERAL, GPU, SUM, 1, { "p_latency_l1", "p_latency_l2", "p_latency_dram" } },
    { "latency_cache", "latency of the caches",
      "s", GENERAL, CPU, SUM, 1, { "p_latency_load" } },
    { "latency_dram", "latency of memory",
      "s", GENERAL, CPU, SUM, 1, { "p_latency_load", "p_latency_dram" } },
    { "l1_bytes", "first-level cache in effect, per compute unit",
      "B", GENERAL, GPU, SUM, 1, { "p_l1_bytes" } },
    { "l2_bytes", "last-level cache in effect",
      "B", GENERAL, ANY, SUM, 1, { "p_l2_bytes" } },
    { "rate_l1", "loads from first-level caches and local memory",
      "B/s", GENERAL, GPU, RATE_UNITS, LINE_BYTES, { "p_pass" } },
    { "rate_l2", "loads from the last-level cache",
      "B/s", GENERAL, GPU, RATE, SECTOR_BYTES, { "p_l2" } },
    { "rate_dram", "memory",
      "B/s", GENERAL, ANY, RATE, SECTOR_BYTES, { "p_dram" } },
    { "rate_fp32", "32-bit floating point, by multiply-adds of two operations",
      "FLOP/s", GENERAL, GPU, RATE_LANES, 2, { "p_fp32" } },
    { "rate_fp64", "64-bit floating point, by multiply-adds",
      "FLOP/s", GENERAL, GPU, RATE_LANES, 2, { "p_fp64" } },
    { "rate_integer", "32-bit integer operations",
      "op/s", GENERAL, GPU, RATE_LANES, 1, { "p_integer" } },
    { "bank_conflict", "each further pass over the banks, on one compute unit",
      "s", GENERAL, GPU, SUM, 1, { "p_pass" } },
    { "contended_atomic", "each pass over a sector by atomic operations, by one unit",
      "s", GENERAL, ANY, SUM, 1, { "p_contended" } },
    { "atomic_sector", "each pass over a sector by atomic operations, by all units of memory",
      "s", GENERAL, GPU, SUM, 1, { "p_atomic" } },
    { "contended_local_atomic", "each local atomic operation on one address",
      "s", GENERAL, GPU, SUM, 1, { "p_atomic_local" } },
    { "banks", "banks of local memory, of 4 bytes",
      "1", SWEEPS, GPU, SUM, 1, { "p_banks" } },
    { "block_bytes", "what memory moves at a time",
      "B", SWEEPS, GPU, SUM, 1, { "p_block_bytes" } },
    { "registers", "most registers of a work-item, of 4 bytes",
      "1", SWEEPS, GPU, LARGEST, 1, { "f_kernel_registers" } },
    { "spilled_bytes", "spilled by a work-item with 512 values",
      "B", SWEEPS, GPU, LARGEST, 1, { "f_kernel_private_bytes" } },
    { "spilled_byte", "each spilled byte of a work-item, of all together",
      "s", SWEEPS, GPU, SUM, 1, { "p_spill" } },
    COPY("to_device", "pinned", "to the device"),
    COPY("to_device", "pageable", "to the device"),
    COPY("to_device", "mapped", "to the device"),
    COPY("from_device", "pinned", "from the device"),
    COPY("from_device", "pageable", "from the device"),
    COPY("from_device", "mapped", "from the device"),
    { "exposed", "of a copy and a kernel side by side, the share of the shorter not hidden",
      "1", TRANSFER, ANY, SUM, 1, { "p_exposed" } },
    { "exposed_both", "of copies in both directions at once, the share of the shorter not hidden",
      "1", TRANSFER, ANY, SUM, 1, { "p_exposed_both" } },
};
/* clang-format on */

_Static_assert(sizeof(sources) / sizeof(*sources) <= GCAL_FACTS_MAX, "all have room");

/* ---- from a model ---- */

static bool add_up(const struct fact_source *f, const struct gcal_params_model *m,
                   struct gcal_fact *v)
{
    double variance = 0;
    size_t at[MOST], n = 0;

    v->value = 0;
    for (; n < MOST && f->parameters[n]; n++) {
        at[n] = gcal_params_find_name(m->parameter, m->n_parameters, f->parameters[n]);
        if (at[n] == m->n_parameters)
            return false;
        v->value += m->value[at[n]];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            variance += gcal_params_covariance(m, at[i], at[k]);
    v->error = sqrt(fmax(0, variance));
    return true;
}

static bool find_largest(const struct fact_source *f, const struct gcal_params_model *m,
                         struct gcal_fact *v)
{
    size_t i = gcal_params_find_name(m->feature, m->n_features, f->parameters[0]);

    if (i == m->n_features)
        return false;
    v->value = m->feature_max[i];
    v->error = NAN;
    return v->value > 0;
}

/* Costs of the model are those of the type; the device deviates by a factor. */
static void convert(const struct fact_source *f, const struct gcal_params_device *d,
                    double factor, struct gcal_fact *v)
{
    const struct gcal_device_info *info = &d->info;
    double scale = f->scale, relative;

    if (strcmp(f->unit, "s") == 0 || f->how != SUM) {
        v->value *= factor;
        v->error *= factor;
    }
    if (f->how == SUM) {
        v->value *= scale;
        v->error *= scale;
        return;
    }
    scale *= f->how == RATE ? 1 : (double)info->compute_units;
    scale *= f->how == RATE_LANES ? (double)info->sub_group_size : 1;
    relative = v->error / v->value;
    v->value = scale / v->value;
    v->error = relative * v->value;
}

static bool is_of_kind(const struct fact_source *f, const struct gcal_params_device *d)
{
    bool cpu = strcmp(d->info.device_type, "cpu") == 0;

    return f->kinds == ANY || (f->kinds == CPU) == cpu;
}

/* By the first model that has what it needs. */
static bool find(const struct fact_source *f, const struct gcal_params_device *d,
                 struct gcal_fact *v)
{
    for (size_t i = 0; i < d->n_models && is_of_kind(f, d); i++) {
        const struct gcal_params_model *m = &d->models[i];

        if (!f->is_from(m))
            continue;
        if (f->how == LARGEST)
            return find_largest(f, m, v);
        if (!add_up(f, m, v))
            continue;
        convert(f, d, m->factor, v);
        return isfinite(v->value) && v->value > 0; /* 0: too small to be found */
    }
    return false;
}

size_t gcal_facts_find(const struct gcal_params_device *d,
                       struct gcal_fact facts[GCAL_FACTS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (find(&sources[i], d, &facts[n])) {
            facts[n].key = sources[i].key;
            facts[n].text = sources[i].text;
            facts[n++].unit = sources[i].unit;
        }
    return n;
}

double gcal_facts_value(const struct gcal_params_device *d, const char *key)
{
    struct gcal_fact fact;

    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (strcmp(sources[i].key, key) == 0 && find(&sources[i], d, &fact))
            return fact.value;
    return NAN;
}
