/* write.c - a parameter file as YAML */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/roofs/names.h"
#include "store/params/fields.h"
#include "store/params/params.h"
#include "store/params/private.h"

#define VALUE_DIGITS 12
#define ERROR_DIGITS 6

static void put_text(struct gcal_yaml_writer *w, const char *key, const char *text)
{
    gcal_yaml_put_text(w, key, text ? text : "");
}

/* Rounded to the digits that a measurement can have: more would be most of a file. */
static void put_rounded(struct gcal_yaml_writer *w, const char *key, double value,
                        int digits)
{
    char text[40];

    snprintf(text, sizeof(text), "%.*g", digits, value);
    gcal_yaml_put_number(w, key, strtod(text, NULL));
}

static void put_proportions(struct gcal_yaml_writer *w, const struct gcal_proportions *p)
{
    if (!p->n)
        return;
    gcal_yaml_write_text(w, "stands_for");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < p->n; i++) {
        gcal_yaml_write_flow_map(w);
        put_text(w, "feature", p->items[i].feature);
        put_rounded(w, "min", p->items[i].min, ERROR_DIGITS);
        put_rounded(w, "max", p->items[i].max, ERROR_DIGITS);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

static void put_model(struct gcal_yaml_writer *w, const struct gcal_params_device *d,
                      const struct gcal_params_model *m, const char *rows,
                      char *const lines[GCAL_PARAMS_N_LINES])
{
    gcal_yaml_write_map(w);
    put_text(w, "device", d->info.uid);
    put_text(w, "model", m->name);
    put_text(w, "output", m->output);
    gcal_roofs_names_write(w, m->names);
    put_text(w, "expression", m->expression);
    put_text(w, "form", m->form);
    gcal_roofs_write(w, &m->roofs);
    gcal_spreads_write(w, &m->spreads);
    gcal_yaml_put_number(w, "factor", m->factor);
    gcal_yaml_put_number(w, "factor_error", m->factor_error);
    gcal_yaml_write_text(w, "parameters");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < m->n_parameters; i++) {
        gcal_yaml_write_flow_map(w);
        put_text(w, "name", m->parameter[i]);
        put_rounded(w, "value", m->value[i], VALUE_DIGITS);
        put_text(w, "unit", m->unit[i]);
        put_rounded(w, "standard_error", m->standard_error[i], ERROR_DIGITS);
        if (isfinite(m->own[i]) && isfinite(m->own_error[i])) {
            put_rounded(w, "own", m->own[i], VALUE_DIGITS);
            put_rounded(w, "own_error", m->own_error[i], ERROR_DIGITS);
        }
        if (m->at_bound[i])
            gcal_yaml_put_bool(w, "at_bound", true);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_text(w, "covariance");
    gcal_yaml_write_block(w, rows);
    gcal_yaml_write_text(w, "features");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < m->n_features; i++) {
        gcal_yaml_write_flow_map(w);
        put_text(w, "name", m->feature[i]);
        gcal_yaml_put_number(w, "min", m->feature_min[i]);
        gcal_yaml_put_number(w, "max", m->feature_max[i]);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
    for (size_t i = 0; i < GCAL_PARAMS_N_LINES; i++)
        if (*lines[i]) {
            gcal_yaml_write_text(w, gcal_params_lines_key(i));
            gcal_yaml_write_block(w, lines[i]);
        }
    put_proportions(w, &m->stands_for);
    gcal_params_fields_put(w, gcal_params_fit_fields, m);
    gcal_yaml_write_end_map(w);
}

static const char *text_of(const void *member)
{
    const char *text = *(char *const *)member;

    return text ? text : "";
}

/* Name and origin; what equals the device's is omitted. */
static void put_listed_model(struct gcal_yaml_writer *w,
                             const struct gcal_params_device *d,
                             const struct gcal_params_model *m)
{
    static const struct gcal_params_model none = { 0 };
    const struct gcal_params_origin own = gcal_params_model_origin(d, m);
    const struct gcal_params_origin of_device = gcal_params_model_origin(d, &none);

    gcal_yaml_write_map(w);
    put_text(w, "name", m->name);
    for (const struct gcal_field *f = gcal_params_origin_fields; f->name; f++) {
        const void *member = (const char *)&own + f->offset;
        const void *inherited = (const char *)&of_device + f->offset;

        if (f->type == GCAL_FIELD_U64 &&
            *(const uint64_t *)member != *(const uint64_t *)inherited)
            gcal_yaml_put_integer(w, f->name, *(const uint64_t *)member);
        else if (f->type == GCAL_FIELD_TEXT && *(char *const *)member &&
                 strcmp(*(char *const *)member, text_of(inherited)) != 0)
            put_text(w, f->name, *(char *const *)member);
    }
    gcal_yaml_write_end_map(w);
}

static void put_device(struct gcal_yaml_writer *w, const struct gcal_params_device *d)
{
    gcal_yaml_write_map(w);
    gcal_params_fields_put(w, gcal_device_info_fields, &d->info);
    gcal_params_fields_put(w, gcal_params_run_fields, d);
    gcal_yaml_write_text(w, "models");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < d->n_models; i++)
        put_listed_model(w, d, &d->models[i]);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
}

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* A file that no reader could use must not be published. */
static int check_model(const struct gcal_params_model *m, struct gcal_error *err)
{
    bool is_finite = isfinite(m->factor) && isfinite(m->factor_error);

    for (const struct gcal_field *f = gcal_params_fit_fields; f->name; f++)
        if (f->type == GCAL_FIELD_F64 &&
            f->offset != offsetof(struct gcal_params_model, condition))
            is_finite =
                is_finite && isfinite(*(const double *)((const char *)m + f->offset));
    if (all_finite(m->value, m->n_parameters) &&
        all_finite(m->standard_error, m->n_parameters) &&
        all_finite(m->root, GCAL_PARAMS_ROOT(m->n_parameters, 0)) &&
        all_finite(m->feature_min, m->n_features) &&
        all_finite(m->feature_max, m->n_features) && is_finite)
        return 0;
    return gcal_error_set(
        err, GCAL_EFIT, "model %s: a value, error or range is not finite: not published",
        m->name);
}

/* Appends the document of 'w'.  Destroys 'w'. */
static int add_document(struct gcal_buf *file, struct gcal_yaml_writer *w,
                        struct gcal_error *err)
{
    size_t size;
    char *text = gcal_yaml_writer_finish(w, &size, err);

    if (text)
        gcal_buf_put(file, text, size);
    free(text);
    return text ? 0 : -1;
}

static int add_devices(struct gcal_buf *file, const struct gcal_params *params,
                       struct gcal_error *err)
{
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(err);

    if (!w)
        return -1;
    gcal_yaml_write_map(w);
    gcal_yaml_put_integer(w, "gpucal_params", GCAL_PARAMS_VERSION);
    put_text(w, "node", params->node);
    gcal_yaml_write_text(w, "devices");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < params->n_devices; i++)
        put_device(w, &params->devices[i]);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
    return add_document(file, w, err);
}

static int add_model(struct gcal_buf *file, const struct gcal_params_device *d,
                     const struct gcal_params_model *m, struct gcal_error *err)
{
    struct gcal_yaml_writer *w = NULL;
    char *rows, *lines[GCAL_PARAMS_N_LINES];
    bool has_all;

    if (check_model(m, err) < 0)
        return -1;
    has_all = (rows = gcal_params_covariance_encode(m, err)) != NULL;
    for (size_t i = 0; i < GCAL_PARAMS_N_LINES; i++)
        has_all = (lines[i] = gcal_params_lines_encode(i, m, err)) && has_all;
    gcal_buf_puts(file, "---\n");
    if (has_all && (w = gcal_yaml_writer_create(err)))
        put_model(w, d, m, rows, lines);
    free(rows);
    for (size_t i = 0; i < GCAL_PARAMS_N_LINES; i++)
        free(lines[i]);
    return w ? add_document(file, w, err) : -1;
}

char *gcal_params_encode(const struct gcal_params *params, size_t *size,
                         struct gcal_error *err)
{
    struct gcal_buf file = { 0 };
    int rc = add_devices(&file, params, err);

    for (size_t i = 0; i < params->n_devices; i++)
        for (size_t j = 0; j < params->devices[i].n_models && rc == 0; j++)
            rc =
                add_model(&file, &params->devices[i], &params->devices[i].models[j], err);
    gcal_buf_puts(&file, "...\n");
    if (rc < 0) {
        gcal_buf_free(&file);
        return NULL;
    }
    if (size)
        *size = file.size;
    return gcal_buf_take(&file, err);
}
