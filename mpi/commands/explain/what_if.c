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
    size_t n;
    struct item items[MOST_ITEMS];
};

static int split_question(struct gcal_arena *arena, const char *text, struct question *q,
                          struct gcal_error *err)
{
    char *rest = gcal_arena_strdup(arena, text), *item;

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

static size_t find_size(const struct gcal_profile *p, const char *name)
{
    size_t i = 0;

    while (i < p->n_parameters && strcmp(p->parameters[i], name) != 0)
        i++;
    return i;
}

/* ---- what the model has ---- */

static int refuse_name(const struct gcal_explain_case *c, const char *name,
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
        name, sizes.data ? sizes.data : "", gcal_predictor_model(c->lab->predictor));
    gcal_buf_free(&sizes);
    return -1;
}

/* Sets what an item names in the lab. */
static int change_lab(const struct gcal_explain_case *c, struct gcal_explain_lab *lab,
                      const struct item *item, struct gcal_error *err)
{
    bool is_local =
        strcmp(item->name, "local-memory") == 0 || strcmp(item->name, LOCAL_MEMORY) == 0;
    const char *name = is_local ? LOCAL_MEMORY : item->name;
    size_t feature = gcal_explain_lab_feature(lab, name);
    size_t text = gcal_explain_lab_find(lab, name);
    double value;
    bool is_parameter = false;

    if (feature < lab->model->n_features) {
        if (parse_value(item, lab->features[feature], &lab->features[feature], err) < 0)
            return -1;
        if (is_local) {
            const struct gcal_limits limits = {
                .local_memory_bytes = lab->device->info.local_memory_bytes
            };
            const struct gcal_needs needs = { .local_memory_bytes =
                                                  lab->features[feature] };

            if (gcal_limits_check(&limits, &needs, err) < 0)
                return gcal_error_prefix(err, "--what-if");
        }
        return 0;
    }
    for (size_t i = 0; i < lab->model->n_parameters; i++)
        if (strcmp(lab->costs[i]->name, name) == 0) {
            is_parameter = true;
            if (parse_value(item, lab->parameters[i], &lab->parameters[i], err) < 0)
                return -1;
        }
    if (is_parameter)
        return 0;
    if (text == lab->n_texts)
        return refuse_name(c, item->name, err);
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

int gcal_explain_what_if(struct gcal_explain_case *c, const char *text,
                         struct gcal_error *err)
{
    const struct gcal_profile *p = c->subject->target.profile;
    const char *model = gcal_predictor_model(c->lab->predictor), *global = NULL;
    double sizes[GCAL_PROFILE_MAX_PARAMETERS + 1] = { 0 };
    struct gcal_explain_case at = *c; /* the kernel at these sizes */
    struct gcal_explain_lab *lab;
    struct question q = { 0 };

    memcpy(sizes, c->sizes, p->n_parameters * sizeof(*sizes));
    if (split_question(c->arena, text, &q, err) < 0)
        return -1;
    for (size_t i = 0; i < q.n; i++) {
        size_t size = find_size(p, q.items[i].name);

        if (size < p->n_parameters &&
            parse_value(&q.items[i], sizes[size], &sizes[size], err) < 0)
            return -1;
    }
    if (!c->options->profile &&
        memcmp(sizes, c->sizes, p->n_parameters * sizeof(*sizes)) != 0) {
        if (gcal_explain_resize(&at, sizes, err) < 0)
            return gcal_error_prefix(err, "--what-if %.100s", text);
        p = at.subject->target.profile;
    }
    for (size_t i = 0; i < q.n; i++)
        if (strcmp(q.items[i].name, "local") == 0) {
            const char *value = q.items[i].text;
            size_t local[GCAL_MAX_DIMS], n = parse_local(value, local);

            if (!n)
                return gcal_error_set(
                    err, GCAL_EINPUT,
                    "--what-if: expected local=X, XxY or XxYxZ, found '%.40s'", value);
            if (!(p = gcal_explain_recount(&at, sizes, n, local, &global, err)))
                return gcal_error_prefix(err, "--what-if local=%.40s", value);
        }
    if (!(lab = gcal_explain_lab_open(c->arena, c->lab->device, model, p, sizes, err)))
        return gcal_error_prefix(err, "--what-if %.100s", text);
    for (size_t i = 0; i < q.n; i++)
        if (strcmp(q.items[i].name, "local") != 0 &&
            find_size(p, q.items[i].name) == p->n_parameters &&
            change_lab(c, lab, &q.items[i], err) < 0)
            return -1;
    if (!(gcal_explain_lab_eval(lab) > 0))
        return gcal_error_set(err, GCAL_EINPUT,
                              "--what-if %.100s: model %.40s predicts no time for it",
                              text, model);
    gcal_explain_changes_add(
        &c->asked, lab,
        global ? gcal_arena_format(c->arena, "%s, global=%s", text, global) : text);
    return 0;
}
