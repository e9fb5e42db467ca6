/* text.c - the links of a node as YAML (docs/gpucal-params.5) */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "store/links/links.h"
#include "store/params/fields.h"

#define VERSION 1

#define REGIME(...) GCAL_FIELD(struct gcal_link_regime, __VA_ARGS__)
#define CLASS(...)  GCAL_FIELD(struct gcal_links_class, __VA_ARGS__)

static const struct gcal_field regime_fields[] = {
    REGIME(F64, "from_bytes", from_bytes, "byte", "sizes of messages from here on"),
    REGIME(F64, "from_s", from_s, "s", "time of these"),
    REGIME(F64, "byte_s", byte_s, "s", "time per byte beyond"),
    REGIME(F64, "error", error, "1", "of the line"),
    REGIME(F64, "between", between, "1", "between pairs"),
    { 0 },
};

static const struct gcal_field class_fields[] = {
    CLASS(TEXT, "run_id", run_id, NULL, "run that measured it"),
    CLASS(TEXT, "measured_utc", measured_utc, NULL, "when"),
    CLASS(U64, "measured", n_measured, NULL, "pairs of all nodes"),
    CLASS(F64, "most_bytes", most_bytes, "byte", "longest message measured"),
    { 0 },
};

const char *const gcal_links_class_names[] = { "same node", "other node", NULL };

void gcal_links_clear(struct gcal_links *links)
{
    for (int i = 0; i < GCAL_LINKS_N_CLASSES; i++) {
        struct gcal_links_class *c = &links->classes[i];

        for (size_t k = 0; k < c->n_pairs; k++)
            free(c->pairs[k].to);
        free(c->pairs);
        free(c->run_id);
        free(c->measured_utc);
    }
    free(links->node);
    *links = (struct gcal_links){ 0 };
}

/* ---- writing ---- */

static void put_curve(struct gcal_yaml_writer *w, const struct gcal_link_curve *curve)
{
    gcal_yaml_write_text(w, "regimes");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < curve->n; i++) {
        gcal_yaml_write_flow_map(w);
        gcal_params_fields_put(w, regime_fields, &curve->regimes[i]);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

static void put_numbers(struct gcal_yaml_writer *w, const char *key, size_t n,
                        const double *numbers)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < n; i++)
        gcal_yaml_write_number(w, numbers[i]);
    gcal_yaml_write_end_list(w);
}

char *gcal_links_encode(const struct gcal_links *links, size_t *size,
                        struct gcal_error *err)
{
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(err);

    if (!w)
        return NULL;
    gcal_yaml_write_map(w);
    gcal_yaml_put_integer(w, "gpucal_links", VERSION);
    gcal_yaml_put_text(w, "node", links->node);
    gcal_yaml_write_text(w, "classes");
    gcal_yaml_write_list(w);
    for (int id = 0; id < GCAL_LINKS_N_CLASSES; id++) {
        const struct gcal_links_class *c = &links->classes[id];

        if (!c->n_measured)
            continue;
        gcal_yaml_write_map(w);
        gcal_yaml_put_text(w, "class", gcal_links_class_names[id]);
        gcal_params_fields_put(w, class_fields, c);
        put_curve(w, &c->curve);
        gcal_yaml_write_text(w, "pairs");
        gcal_yaml_write_list(w);
        for (size_t i = 0; i < c->n_pairs; i++) {
            const struct gcal_links_pair *p = &c->pairs[i];

            gcal_yaml_write_map(w);
            gcal_yaml_put_text(w, "to", p->to);
            if (p->is_outlier) {
                gcal_yaml_put_number(w, "ratio", p->ratio);
                put_curve(w, &p->curve);
            } else {
                put_numbers(w, "factors", c->curve.n, p->factor);
                put_numbers(w, "errors", c->curve.n, p->error);
            }
            gcal_yaml_write_end_map(w);
        }
        gcal_yaml_write_end_list(w);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
    return gcal_yaml_writer_finish(w, size, err);
}

/* ---- reading ---- */

static void refuse(struct gcal_params_fields *r, const struct gcal_yaml *node,
                   const char *why)
{
    if (!r->failed)
        gcal_yaml_error(node, r->err, "%s", why);
    r->failed = true;
}

static void get_curve(struct gcal_params_fields *r, const struct gcal_yaml *map,
                      struct gcal_link_curve *curve)
{
    static const struct gcal_field *const tables[2] = { regime_fields };
    static const char *const none[] = { NULL };
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, "regimes");
    double before = 0;

    if (!r->failed && (list->n_items < 1 || list->n_items > GCAL_LINK_MAX_REGIMES))
        refuse(r, list, "regimes: expected one to five");
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        struct gcal_link_regime *g = &curve->regimes[curve->n++];

        gcal_params_fields_check_keys(r, list->items[i], tables, none);
        gcal_params_fields_get(r, list->items[i], regime_fields, g);
        if (g->from_bytes < before)
            refuse(r, list->items[i], "from_bytes is below that of the regime before");
        before = g->from_bytes;
    }
}

static void get_numbers(struct gcal_params_fields *r, const struct gcal_yaml *map,
                        const char *key, size_t n, double *numbers)
{
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, key);

    if (!r->failed && list->n_items != n)
        refuse(r, list, "expected a number for each regime of the class");
    for (size_t i = 0; !r->failed && i < n; i++)
        if (gcal_yaml_double(list->items[i], key, &numbers[i], r->err) < 0)
            r->failed = true;
        else if (numbers[i] < 0)
            refuse(r, list->items[i], "expected a number of at least 0");
}

static void get_pair(struct gcal_params_fields *r, const struct gcal_yaml *map, size_t n,
                     struct gcal_links_pair *p)
{
    static const struct gcal_field *const tables[2] = { NULL };
    static const char *const keys[] = { "to",      "ratio",  "regimes",
                                        "factors", "errors", NULL };

    gcal_params_fields_check_keys(r, map, tables, keys);
    p->to = gcal_params_fields_text(r, map, "to");
    p->is_outlier = !r->failed && gcal_yaml_find(map, "ratio");
    if (p->is_outlier) {
        p->ratio = gcal_params_fields_number(r, map, "ratio", 0);
        get_curve(r, map, &p->curve);
        return;
    }
    get_numbers(r, map, "factors", n, p->factor);
    get_numbers(r, map, "errors", n, p->error);
}

static void get_class(struct gcal_params_fields *r, const struct gcal_yaml *map,
                      struct gcal_links *links)
{
    static const struct gcal_field *const tables[2] = { class_fields };
    static const char *const keys[] = { "class", "regimes", "pairs", NULL };
    const struct gcal_yaml *name, *list;
    struct gcal_links_class *c;
    int id = 0;

    gcal_params_fields_check_keys(r, map, tables, keys);
    name = gcal_params_fields_need(r, map, "class");
    list = gcal_params_fields_need(r, map, "pairs");
    if (r->failed)
        return;
    while (id < GCAL_LINKS_N_CLASSES &&
           (!name->text || strcmp(name->text, gcal_links_class_names[id]) != 0))
        id++;
    if (id == GCAL_LINKS_N_CLASSES || links->classes[id].run_id) {
        refuse(r, name, "no class of links, or one that comes twice");
        return;
    }
    c = &links->classes[id];
    gcal_params_fields_get(r, map, class_fields, c);
    get_curve(r, map, &c->curve);
    if (list->kind != GCAL_YAML_LIST || !c->n_measured || !(c->most_bytes > 0))
        refuse(r, map, "expected pairs that were measured");
    if (r->failed ||
        !(c->pairs = gcal_params_fields_array(r, list->n_items, sizeof(*c->pairs))))
        return;
    while (!r->failed && c->n_pairs < list->n_items) {
        get_pair(r, list->items[c->n_pairs], c->curve.n, &c->pairs[c->n_pairs]);
        c->n_pairs++;
    }
}

int gcal_links_decode(const char *text, size_t size, const char *name,
                      struct gcal_links *links, struct gcal_error *err)
{
    static const struct gcal_field *const tables[2] = { NULL };
    static const char *const keys[] = { "gpucal_links", "node", "classes", NULL };
    struct gcal_yaml *root = gcal_yaml_parse(text, size, name, err);
    struct gcal_params_fields r = { .err = err, .failed = !root };
    const struct gcal_yaml *list;

    *links = (struct gcal_links){ 0 };
    if (gcal_params_fields_count(&r, root, "gpucal_links") != VERSION)
        refuse(&r, root, "written by another version of gpucal: calibrate again");
    gcal_params_fields_check_keys(&r, root, tables, keys);
    links->node = gcal_params_fields_text(&r, root, "node");
    list = gcal_params_fields_list(&r, root, "classes");
    for (size_t i = 0; !r.failed && i < list->n_items; i++)
        get_class(&r, list->items[i], links);
    gcal_yaml_destroy(root);
    if (!r.failed)
        return 0;
    gcal_links_clear(links);
    return -1;
}
