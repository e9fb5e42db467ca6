#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "store/params.h"

/* Far above any real file; names are compared pairwise and covariances are square. */
#define MAX_ITEMS 1000

/* Readers stay 'failed' after the first complaint, which is the one in 'err', so that a
 * map is read as a list of its keys with one check at the end.
 */
struct reader {
    struct gcal_error *err;
    long long version; /* of the file */
    bool failed;
};

static const struct gcal_yaml *need(struct reader *r, const struct gcal_yaml *map,
                                    const char *key)
{
    const struct gcal_yaml *node;

    if (r->failed)
        return NULL;
    if (!(node = gcal_yaml_find(map, key))) {
        gcal_yaml_error(map, r->err, "'%s' is missing", key);
        r->failed = true;
    }
    return node;
}

static char *get_text(struct reader *r, const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = need(r, map, key);
    const char *text = node ? gcal_yaml_text(node, key, r->err) : NULL;
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        gcal_error_memory(r->err);
    if (!copy)
        r->failed = true;
    return copy;
}

static double get_number(struct reader *r, const struct gcal_yaml *map, const char *key,
                         double min)
{
    const struct gcal_yaml *node = need(r, map, key);
    double value = 0;

    if (!node)
        return 0;
    if (gcal_yaml_double(node, key, &value, r->err) < 0) {
        r->failed = true;
    } else if (value < min) {
        gcal_yaml_error(node, r->err, "%s: less than %g", key, min);
        r->failed = true;
    }
    return value;
}

static uint64_t get_count(struct reader *r, const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = need(r, map, key);
    long long value = 0;

    if (node && gcal_yaml_integer(node, key, 0, LLONG_MAX, &value, r->err) < 0)
        r->failed = true;
    return (uint64_t)value;
}

static bool get_bool(struct reader *r, const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = need(r, map, key);
    bool value = false;

    if (node && gcal_yaml_bool(node, key, &value, r->err) < 0)
        r->failed = true;
    return value;
}

static const struct gcal_yaml *get_list(struct reader *r, const struct gcal_yaml *map,
                                        const char *key)
{
    const struct gcal_yaml *node = need(r, map, key);

    if (!node)
        return NULL;
    if (node->kind == GCAL_YAML_LIST && node->n_items <= MAX_ITEMS)
        return node;
    gcal_yaml_error(node, r->err, "%s: expected a list of at most %d items", key,
                    MAX_ITEMS);
    r->failed = true;
    return NULL;
}

static void check_keys(struct reader *r, const struct gcal_yaml *map,
                       const char *const *known)
{
    if (!r->failed && gcal_yaml_check_keys(map, known, r->err) < 0)
        r->failed = true;
}

static void *get_array(struct reader *r, size_t count, size_t item_bytes)
{
    void *items = r->failed ? NULL : calloc(count ? count : 1, item_bytes);

    if (!items && !r->failed) {
        gcal_error_memory(r->err);
        r->failed = true;
    }
    return items;
}

/* A name that stands twice would make a lookup depend on the order. */
static void check_unique(struct reader *r, const struct gcal_yaml *list,
                         char *const *names, size_t i)
{
    for (size_t k = 0; !r->failed && k < i; k++)
        if (strcmp(names[k], names[i]) == 0) {
            gcal_yaml_error(list->items[i], r->err, "'%s' stands here twice", names[i]);
            r->failed = true;
        }
}

static void get_parameters(struct reader *r, const struct gcal_yaml *map,
                           struct gcal_params_model *m)
{
    static const char *const keys[] = { "name",           "value",    "unit",
                                        "standard_error", "at_bound", NULL };
    const struct gcal_yaml *list = get_list(r, map, "parameters");

    if (!list)
        return;
    m->n_parameters = list->n_items;
    m->parameter = get_array(r, list->n_items, sizeof(*m->parameter));
    m->unit = get_array(r, list->n_items, sizeof(*m->unit));
    m->value = get_array(r, list->n_items, sizeof(*m->value));
    m->standard_error = get_array(r, list->n_items, sizeof(*m->standard_error));
    m->at_bound = get_array(r, list->n_items, sizeof(*m->at_bound));
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        check_keys(r, item, keys);
        m->parameter[i] = get_text(r, item, "name");
        m->unit[i] = get_text(r, item, "unit");
        m->value[i] = get_number(r, item, "value", -INFINITY);
        m->standard_error[i] = get_number(r, item, "standard_error", 0);
        m->at_bound[i] = get_bool(r, item, "at_bound");
        check_unique(r, list, m->parameter, i);
    }
}

static void get_row(struct reader *r, const struct gcal_yaml *row, size_t n,
                    double *values)
{
    if (row->kind != GCAL_YAML_LIST || row->n_items != n) {
        gcal_yaml_error(row, r->err, "covariance: expected a row of %zu numbers", n);
        r->failed = true;
    }
    for (size_t i = 0; !r->failed && i < n; i++)
        if (gcal_yaml_double(row->items[i], "covariance", &values[i], r->err) < 0)
            r->failed = true;
}

static void get_covariance(struct reader *r, const struct gcal_yaml *map,
                           struct gcal_params_model *m)
{
    const struct gcal_yaml *list = get_list(r, map, "covariance");
    size_t n = m->n_parameters;

    if (list && list->n_items != n) {
        gcal_yaml_error(list, r->err, "covariance: expected %zu rows, one per parameter",
                        n);
        r->failed = true;
    }
    m->covariance = get_array(r, n * n, sizeof(*m->covariance));
    for (size_t i = 0; !r->failed && i < n; i++)
        get_row(r, list->items[i], n, m->covariance + i * n);
}

static void get_features(struct reader *r, const struct gcal_yaml *map,
                         struct gcal_params_model *m)
{
    static const char *const keys[] = { "name", "min", "max", NULL };
    const struct gcal_yaml *list = get_list(r, map, "features");

    if (!list)
        return;
    m->n_features = list->n_items;
    m->feature = get_array(r, list->n_items, sizeof(*m->feature));
    m->feature_min = get_array(r, list->n_items, sizeof(*m->feature_min));
    m->feature_max = get_array(r, list->n_items, sizeof(*m->feature_max));
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        check_keys(r, list->items[i], keys);
        m->feature[i] = get_text(r, list->items[i], "name");
        m->feature_min[i] = get_number(r, list->items[i], "min", 0);
        m->feature_max[i] = get_number(r, list->items[i], "max", m->feature_min[i]);
        check_unique(r, list, m->feature, i);
    }
}

/* Before version 2 there was one form, and nothing was held out. */
static void get_judgement(struct reader *r, const struct gcal_yaml *map,
                          struct gcal_params_model *m)
{
    if (r->version >= 2) {
        m->form = get_text(r, map, "form");
        m->n_held_out = get_count(r, map, "held_out");
        m->held_out_rms = get_number(r, map, "held_out_rms", 0);
        m->error_90 = get_number(r, map, "error_90", 0);
        return;
    }
    if (!r->failed && !(m->form = strdup("expression"))) {
        gcal_error_memory(r->err);
        r->failed = true;
    }
    m->held_out_rms = m->residual;
    m->error_90 = GCAL_PARAMS_NORMAL_90 * m->residual;
}

static void get_model(struct reader *r, const struct gcal_yaml *map,
                      struct gcal_params_model *m)
{
    static const char *const keys[] = {
        "name",       "output",    "expression",   "factor",      "factor_error",
        "parameters", "features",  "covariance",   "kernels",     "samples",
        "residual",   "condition", "mean_error",   "worst_error", "form",
        "held_out",   "error_90",  "held_out_rms", NULL,
    };

    check_keys(r, map, keys);
    m->name = get_text(r, map, "name");
    m->output = get_text(r, map, "output");
    m->expression = get_text(r, map, "expression");
    m->factor = get_number(r, map, "factor", 1e-9);
    m->factor_error = get_number(r, map, "factor_error", 0);
    get_parameters(r, map, m);
    get_covariance(r, map, m);
    get_features(r, map, m);
    m->n_kernels = get_count(r, map, "kernels");
    m->n_samples = get_count(r, map, "samples");
    m->residual = get_number(r, map, "residual", 0);
    m->mean_error = get_number(r, map, "mean_error", 0);
    m->worst_error = get_number(r, map, "worst_error", 0);
    m->condition = INFINITY;
    if (!r->failed && gcal_yaml_find(map, "condition"))
        m->condition = get_number(r, map, "condition", 0);
    get_judgement(r, map, m);
}

static void get_info(struct reader *r, const struct gcal_yaml *map,
                     struct gcal_device_info *info)
{
    info->uid = get_text(r, map, "uid");
    info->type = get_text(r, map, "type");
    info->name = get_text(r, map, "name");
    info->vendor = get_text(r, map, "vendor");
    info->platform = get_text(r, map, "platform");
    info->driver = get_text(r, map, "driver");
    info->version = get_text(r, map, "version");
    info->device_type = get_text(r, map, "device_type");
    info->pci = get_text(r, map, "pci");
    info->compute_units = get_count(r, map, "compute_units");
    info->max_work_group_size = get_count(r, map, "max_work_group_size");
    info->sub_group_size = get_count(r, map, "sub_group_size");
    info->max_clock_hz = get_number(r, map, "max_clock_hz", 0);
    info->global_memory_bytes = get_number(r, map, "global_memory_bytes", 0);
    info->max_alloc_bytes = get_number(r, map, "max_alloc_bytes", 0);
    info->local_memory_bytes = get_number(r, map, "local_memory_bytes", 0);
    info->cache_bytes = get_number(r, map, "cache_bytes", 0);
    info->timer_resolution_s = get_number(r, map, "timer_resolution_s", 0);
    info->fp16 = get_bool(r, map, "fp16");
    info->fp64 = get_bool(r, map, "fp64");
}

static void get_device(struct reader *r, const struct gcal_yaml *map,
                       struct gcal_params_device *d)
{
    static const char *const keys[] = {
        "uid",
        "type",
        "name",
        "vendor",
        "platform",
        "driver",
        "version",
        "device_type",
        "pci",
        "compute_units",
        "max_work_group_size",
        "sub_group_size",
        "max_clock_hz",
        "global_memory_bytes",
        "max_alloc_bytes",
        "local_memory_bytes",
        "cache_bytes",
        "timer_resolution_s",
        "fp16",
        "fp64",
        "run_id",
        "calibrated_utc",
        "gpucal_version",
        "models",
        NULL,
    };
    const struct gcal_yaml *list;

    check_keys(r, map, keys);
    get_info(r, map, &d->info);
    d->run_id = get_text(r, map, "run_id");
    d->calibrated_utc = get_text(r, map, "calibrated_utc");
    d->gpucal_version = get_text(r, map, "gpucal_version");
    list = get_list(r, map, "models");
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        struct gcal_params_model *m = gcal_params_add_model(d, r->err);

        if (m)
            get_model(r, list->items[i], m);
        else
            r->failed = true;
        for (size_t k = 0; !r->failed && k < i; k++)
            if (strcmp(d->models[k].name, m->name) == 0) {
                gcal_yaml_error(list->items[i], r->err, "model '%s' stands here twice",
                                m->name);
                r->failed = true;
            }
    }
}

/* The version comes first: of a newer file nothing else can be judged. */
static void check_version(struct reader *r, const struct gcal_yaml *root)
{
    const struct gcal_yaml *node = gcal_yaml_find(root, "gpucal_params");

    if (!node)
        gcal_yaml_error(root, r->err, "not a gpucal parameter file: no 'gpucal_params'");
    else if (gcal_yaml_integer(node, "gpucal_params", 1, LLONG_MAX, &r->version, r->err) <
             0)
        ;
    else if (r->version > GCAL_PARAMS_VERSION)
        gcal_yaml_error(node, r->err,
                        "version %lld of the format; this gpucal reads up to %d: use a "
                        "newer one",
                        r->version, GCAL_PARAMS_VERSION);
    else
        return;
    r->failed = true;
}

static int decode_root(const struct gcal_yaml *root, struct gcal_params *params,
                       struct gcal_error *err)
{
    static const char *const keys[] = { "gpucal_params", "node", "devices", "complete",
                                        NULL };
    struct reader r = { .err = err };
    const struct gcal_yaml *list;
    struct gcal_params_device *d;

    *params = (struct gcal_params){ 0 };
    check_version(&r, root);
    check_keys(&r, root, keys);
    params->node = get_text(&r, root, "node");
    list = get_list(&r, root, "devices");
    for (size_t i = 0; !r.failed && i < list->n_items; i++) {
        if ((d = gcal_params_add_device(params, err)))
            get_device(&r, list->items[i], d);
        else
            r.failed = true;
        for (size_t k = 0; !r.failed && k < i; k++)
            if (strcmp(params->devices[k].info.uid, d->info.uid) == 0) {
                gcal_yaml_error(list->items[i], err, "device '%s' stands here twice",
                                d->info.uid);
                r.failed = true;
            }
    }
    if (!get_bool(&r, root, "complete") && !r.failed) {
        gcal_yaml_error(root, err, "not complete");
        r.failed = true;
    }
    if (!r.failed)
        return 0;
    gcal_params_clear(params);
    return -1;
}

int gcal_params_decode(const char *text, size_t size, const char *name,
                       struct gcal_params *params, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, size, name, err);
    int rc = root ? decode_root(root, params, err) : -1;

    gcal_yaml_destroy(root);
    return rc;
}
