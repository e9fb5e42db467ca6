/* what_if.c - the time of a kernel with changes that a user asks for */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

enum { MOST_ITEMS = 16 };

#define LOCAL_MEMORY "f_local_memory_bytes"

/* "NAME=VALUE", or NAME=xFACTOR. */
struct item {
    const char *name, *text;
};

/* Of one --what-if. */
struct question {
    char *copy; /* split into items */
    size_t n;
    struct item items[MOST_ITEMS];
};

static int split(const char *text, struct question *q, struct gcal_error *err)
{
    char *rest = q->copy = strdup(text), *item;

    if (!q->copy)
        return gcal_error_memory(err);
    while ((item = strsep(&rest, ","))) {
        char *value = strchr(item, '=');

        if (!value || value == item || !value[1])
            return gcal_error_set(err, GCAL_EINPUT,
                                  "--what-if: expected NAME=VALUE, found '%.60s'", item);
        if (q->n == MOST_ITEMS)
            return gcal_error_set(err, GCAL_EINPUT, "--what-if: more than %d changes",
                                  MOST_ITEMS);
        *value = '\0';
        q->items[q->n++] = (struct item){ item, value + 1 };
    }
    return 0;
}

/* ---- values ---- */

/* A number, or 'old' times a factor. */
static int parse_value(const struct item *item, double old, double *value,
                       struct gcal_error *err)
{
    bool is_factor = item->text[0] == 'x';

    if (gcal_count_value_parse(item->text + is_factor, value, NULL) < 0 || *value < 0)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "--what-if: %.40s: expected a number (48Ki, 2^20) or a factor "
            "(x0.5), found '%.40s'",
            item->name, item->text);
    if (is_factor)
        *value *= old;
    return 0;
}

/* "16x8" */
static size_t parse_local(const char *text, size_t local[GCAL_MAX_DIMS])
{
    size_t n = 0;
    char *end;

    for (; n < GCAL_MAX_DIMS; text = end + 1) {
        local[n] = strtoul(text, &end, 10);
        if (end == text || !local[n] || text[0] == '-')
            return 0;
        n++;
        if (!*end)
            return n;
        if (*end != 'x')
            return 0;
    }
    return 0;
}

/* ---- the kernel in other work-groups ---- */

/* The kernel in other work-groups. */
struct regrouped {
    struct gcal_profile *profile; /* NULL: as it is */
    char *global;                 /* its global size; NULL: as it is */
};

static void clear_regrouped(struct regrouped *r)
{
    gcal_profile_destroy(r->profile);
    free(r->global);
    *r = (struct regrouped){ 0 };
}

static int change_local(const struct gcal_explain_case *c,
                        const struct gcal_predict_subject_options *o, const double *sizes,
                        const struct item *item, struct regrouped *r,
                        struct gcal_error *err)
{
    size_t local[GCAL_MAX_DIMS], n = parse_local(item->text, local);

    if (!n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--what-if: expected local=X, XxY or XxYxZ, found '%.40s'",
                              item->text);
    clear_regrouped(r);
    r->profile = gcal_explain_recount(c, o, sizes, n, local, &r->global, err);
    return r->profile ? 0 : gcal_error_prefix(err, "--what-if local=%.40s", item->text);
}

/* ---- sizes ---- */

static size_t find_size(const struct gcal_profile *p, const char *name)
{
    size_t i = 0;

    while (i < p->n_parameters && strcmp(p->parameters[i], name) != 0)
        i++;
    return i;
}

/* ---- what the model has ---- */

/* Words for what models have under other names. */
static const char *model_name(const char *name)
{
    return strcmp(name, "local-memory") == 0 ? LOCAL_MEMORY : name;
}

static int check_local_memory(const struct gcal_explain_lab *lab, double bytes,
                              struct gcal_error *err)
{
    const struct gcal_limits limits = { .local_memory_bytes =
                                            lab->device->info.local_memory_bytes };
    const struct gcal_needs needs = { .local_memory_bytes = bytes };

    return gcal_limits_check(&limits, &needs, err) < 0
               ? gcal_error_prefix(err, "--what-if")
               : 0;
}

static int refuse(const struct gcal_explain_case *c, const char *name,
                  struct gcal_error *err)
{
    struct gcal_buf sizes = { 0 };
    const struct gcal_profile *p = c->subject->target.profile;

    for (size_t i = 0; i < p->n_parameters; i++)
        gcal_buf_printf(&sizes, "%s%s", i ? ", " : "", p->parameters[i]);
    gcal_error_set(
        err, GCAL_EINPUT,
        "--what-if: '%.60s' is neither a size (%.100s) nor of model %.40s: a "
        "parameter (p_..), feature (f_..), named expression or limit; others are "
        "local and local-memory",
        name, sizes.data ? sizes.data : "", gcal_predictor_model(c->predictor));
    gcal_buf_free(&sizes);
    return -1;
}

/* Sets what an item names in the lab. */
static int change_lab(const struct gcal_explain_case *c, struct gcal_explain_lab *lab,
                      const struct item *item, struct gcal_error *err)
{
    const char *name = model_name(item->name);
    size_t feature = gcal_explain_lab_feature(lab, name);
    size_t parameter = gcal_explain_lab_parameter(lab, name);
    size_t text = gcal_explain_lab_find(lab, name);
    double value;

    if (feature < lab->inside.model->n_features) {
        if (parse_value(item, lab->features[feature], &lab->features[feature], err) < 0)
            return -1;
        return strcmp(name, LOCAL_MEMORY) == 0
                   ? check_local_memory(lab, lab->features[feature], err)
                   : 0;
    }
    if (parameter < lab->inside.model->n_parameters)
        return parse_value(item, lab->parameters[parameter], &lab->parameters[parameter],
                           err);
    if (text == lab->n_texts)
        return refuse(c, item->name, err);
    gcal_explain_lab_eval(lab);
    if (parse_value(item, lab->values[text], &value, err) < 0)
        return -1;
    if (!(lab->values[text] > 0))
        return gcal_error_set(err, GCAL_EINPUT,
                              "--what-if: %.40s is 0 here and cannot be changed",
                              item->name);
    lab->factors[text] *= value / lab->values[text];
    return 0;
}

/* ---- all ---- */

/* The other changes, of the kernel with these counts and sizes. */
static int ask(const struct gcal_explain_case *c, const struct question *q,
               const struct regrouped *r, const double *sizes, const char *text,
               struct gcal_explain_changes *changes, struct gcal_error *err)
{
    const struct gcal_profile *profile =
        r->profile ? r->profile : c->subject->target.profile;
    struct gcal_predictor *predictor = gcal_predictor_create(
        c->lab.device, gcal_predictor_model(c->predictor), profile, err);
    struct gcal_explain_lab lab = { 0 };
    int rc = predictor ? gcal_explain_lab_open(&lab, c->lab.device, predictor, sizes, err)
                       : -1;

    if (rc < 0)
        gcal_error_prefix(err, "--what-if %.100s", text);
    for (size_t i = 0; i < q->n && rc == 0; i++)
        if (strcmp(q->items[i].name, "local") != 0 &&
            find_size(profile, q->items[i].name) == profile->n_parameters)
            rc = change_lab(c, &lab, &q->items[i], err);
    if (rc == 0 && !(gcal_explain_lab_eval(&lab) > 0))
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "--what-if %.100s: model %.40s predicts no time for it", text,
                            gcal_predictor_model(c->predictor));
    if (rc == 0)
        rc = gcal_explain_changes_add(
            changes, &lab,
            r->global ? gcal_buf_format("%s, global=%s", text, r->global) : strdup(text),
            err);
    gcal_explain_lab_clear(&lab);
    gcal_predictor_destroy(predictor);
    return rc;
}

int gcal_explain_what_if(const struct gcal_explain_case *c,
                         const struct gcal_predict_subject_options *options,
                         const char *text, struct gcal_explain_changes *changes,
                         struct gcal_error *err)
{
    const struct gcal_profile *p = c->subject->target.profile;
    struct regrouped regrouped = { 0 };
    double sizes[GCAL_PROFILE_MAX_PARAMETERS + 1] = { 0 };
    struct question q = { 0 };
    int rc = split(text, &q, err);

    memcpy(sizes, c->sizes, p->n_parameters * sizeof(*sizes));
    for (size_t i = 0; i < q.n && rc == 0; i++) {
        size_t size = find_size(p, q.items[i].name);

        if (size < p->n_parameters)
            rc = parse_value(&q.items[i], sizes[size], &sizes[size], err);
    }
    for (size_t i = 0; i < q.n && rc == 0; i++)
        if (strcmp(q.items[i].name, "local") == 0)
            rc = change_local(c, options, sizes, &q.items[i], &regrouped, err);
    if (rc == 0)
        rc = ask(c, &q, &regrouped, sizes, text, changes, err);
    clear_regrouped(&regrouped);
    free(q.copy);
    return rc;
}
