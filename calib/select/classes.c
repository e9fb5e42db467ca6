/* classes.c - feature classes: the work of target kernels, as costs with readable names
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/form.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"

void gcal_select_terms_clear(struct gcal_select_terms *terms)
{
    for (size_t i = 0; i < terms->n; i++) {
        free(terms->items[i].feature);
        free(terms->items[i].parameter);
        free(terms->items[i].name);
        free(terms->items[i].longer_name);
    }
    free(terms->items);
    *terms = (struct gcal_select_terms){ 0 };
}

static bool has_symbol(const struct gcal_expr *expr, const char *name)
{
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        if (strcmp(gcal_expr_symbol(expr, i), name) == 0)
            return true;
    return false;
}

/* ---- terms ---- */

struct adding {
    struct gcal_select_terms *terms;
    enum gcal_config_class class;
    const struct gcal_expr *written;
    const struct gcal_profile *profile; /* the entry's */
    bool target;                        /* it is of a target kernel */
};

/* Takes the texts; a feature that is there already adds nothing.  Work-groups are also
 * factors of other terms, so they are always added.
 */
static int add_term(struct adding *a, char *feature, char *name, char *longer_name,
                    struct gcal_error *err)
{
    struct gcal_select_term *moved;
    bool there = feature && a->class != GCAL_CONFIG_CLASS_WORK_GROUPS &&
                 has_symbol(a->written, feature);
    int rc = feature && name && longer_name ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < a->terms->n && rc == 0; i++)
        there = there || strcmp(a->terms->items[i].feature, feature) == 0;
    if (rc == 0 && !there) {
        moved = gcal_array_grow(a->terms->items, a->terms->n, &a->terms->capacity,
                                sizeof(*moved), err);
        if (moved) {
            a->terms->items = moved;
            moved[a->terms->n++] =
                (struct gcal_select_term){ .class = a->class,
                                           .feature = feature,
                                           .name = name,
                                           .longer_name = longer_name };
            return 0;
        }
        rc = -1;
    }
    free(feature);
    free(name);
    free(longer_name);
    return rc;
}

/* The elements that neighbouring work-items access: their number and distance, which is a
 * number, a function of sizes, or unknown.
 */
struct stride {
    char name[60];       /* "stride16", "vector4_stride4" */
    char constraint[80]; /* "_lstrides:{0:16}", "_width:4_lstrides:{0:4}" */
};

static struct stride describe_stride(const struct gcal_profile_entry *e)
{
    const char *text = e->lid_stride[0];
    struct stride s = { .name = "" };
    char *end, vector[30] = "", width[30] = "";
    long number = text ? strtol(text, &end, 10) : 0;

    if (e->vector_width > 1) {
        snprintf(vector, sizeof(vector), "vector%zu_", e->vector_width);
        snprintf(width, sizeof(width), "_width:%zu", e->vector_width);
    }
    if (!text) {
        snprintf(s.name, sizeof(s.name), "%sscattered", vector);
        snprintf(s.constraint, sizeof(s.constraint), "%s", width);
    } else if (*end) {
        snprintf(s.name, sizeof(s.name), "%sstrided", vector);
        snprintf(s.constraint, sizeof(s.constraint), "%s_lstrides:{0:>1}", width);
    } else {
        snprintf(s.name, sizeof(s.name), "%sstride%s%ld", vector,
                 number < 0 ? "_minus" : "", labs(number));
        snprintf(s.constraint, sizeof(s.constraint), "%s_lstrides:{0:%ld}", width,
                 number);
    }
    return s;
}

static const char *direction_name(enum gcal_feature_direction direction)
{
    return direction == GCAL_FEATURE_STORE ? "store" : "load";
}

static int add_global(struct adding *a, const struct gcal_profile_entry *e,
                      struct gcal_error *err)
{
    const char *direction = direction_name(e->direction);
    struct stride s = describe_stride(e);
    bool known = e->afr && !e->afr_premise, once = known && strcmp(e->afr, "1") == 0;
    const char *afr = !known ? "" : once ? "_afr:1" : "_afr:>1";
    const char *reuse = !known ? "" : once ? "_once" : "_reused";

    if (e->tag)
        return add_term(a, gcal_buf_format("f_mem_access_tag:%s", e->tag),
                        gcal_buf_format("%s", e->tag),
                        gcal_buf_format("%s_access", e->tag), err);
    return add_term(
        a,
        gcal_buf_format("f_mem_access_global_%s_%s%s%s", e->dtype, direction,
                        s.constraint, afr),
        gcal_buf_format("global_%s_%s%s", s.name, direction, reuse),
        gcal_buf_format("global_%s_%s_%s%s", e->dtype, s.name, direction, reuse), err);
}

static int add_local(struct adding *a, const struct gcal_profile_entry *e,
                     struct gcal_error *err)
{
    const char *direction = direction_name(e->direction);
    struct stride s = describe_stride(e);

    return add_term(
        a,
        gcal_buf_format("f_mem_access_local_%s_%s%s", e->dtype, direction, s.constraint),
        gcal_buf_format("local_%s_%s", s.name, direction),
        gcal_buf_format("local_%s_%s_%s", e->dtype, s.name, direction), err);
}

static int add_atomic(struct adding *a, const struct gcal_profile_entry *e,
                      struct gcal_error *err)
{
    const char *space = e->space == GCAL_FEATURE_SPACE_LOCAL ? "local" : "global";

    return add_term(a, gcal_buf_format("f_atomic_%s_%s_%s", space, e->dtype, e->op),
                    gcal_buf_format("%s_atomic_%s", space, e->op),
                    gcal_buf_format("%s_atomic_%s_%s", space, e->dtype, e->op), err);
}

/* Whether neighbours access global memory at a distance that depends on sizes. */
static bool has_strides(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        for (size_t k = 0; k < profile->n_dims; k++)
            if (e->space == GCAL_FEATURE_SPACE_GLOBAL && e->lid_stride[k] &&
                strpbrk(e->lid_stride[k], "abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
                return true;
    }
    return false;
}

static int add_component(struct adding *a, const struct gcal_profile_entry *e,
                         struct gcal_error *err)
{
    const char *component = e->kind == GCAL_FEATURE_MEMORY ? "memory" : "onchip";
    size_t n = a->terms->n;

    if (!e->tag)
        return 0;
    if (add_term(a, gcal_buf_format("f_%s_tag:%s", component, e->tag),
                 gcal_buf_format("%s_%s", e->tag, component),
                 gcal_buf_format("%s_%s_part", e->tag, component), err) < 0)
        return -1;
    if (a->terms->n > n) {
        a->terms->items[n].part = a->target;
        a->terms->items[n].strided = a->target && has_strides(a->profile);
    }
    return 0;
}

static int add_access(struct adding *a, const struct gcal_profile_entry *e,
                      struct gcal_error *err)
{
    bool local = a->class == GCAL_CONFIG_CLASS_LOCAL_ACCESSES;

    if (!gcal_feature_is_access(e->kind) ||
        gcal_feature_info(e->kind)->execution == GCAL_FEATURE_EXECUTION_NONE ||
        (e->space == GCAL_FEATURE_SPACE_LOCAL) != local ||
        e->space == GCAL_FEATURE_SPACE_CONSTANT || e->space == GCAL_FEATURE_SPACE_IMAGE ||
        e->space == GCAL_FEATURE_SPACE_PRIVATE)
        return 0;
    if (e->kind == GCAL_FEATURE_ATOMIC)
        return add_atomic(a, e, err);
    return local ? add_local(a, e, err) : add_global(a, e, err);
}

static int add_entry(struct adding *a, const struct gcal_profile_entry *e,
                     struct gcal_error *err)
{
    switch (a->class) {
    case GCAL_CONFIG_CLASS_MEMORY_COMPONENTS:
        return e->kind == GCAL_FEATURE_MEMORY ? add_component(a, e, err) : 0;
    case GCAL_CONFIG_CLASS_ONCHIP_COMPONENTS:
        return e->kind == GCAL_FEATURE_ONCHIP ? add_component(a, e, err) : 0;
    case GCAL_CONFIG_CLASS_GLOBAL_ACCESSES:
    case GCAL_CONFIG_CLASS_LOCAL_ACCESSES:
        return add_access(a, e, err);
    case GCAL_CONFIG_CLASS_OPERATIONS:
        if (e->kind != GCAL_FEATURE_OP)
            return 0;
        return add_term(a, gcal_buf_format("f_op_%s_%s", e->dtype, e->op), strdup(e->op),
                        gcal_buf_format("%s_%s", e->dtype, e->op), err);
    case GCAL_CONFIG_CLASS_BARRIERS:
        if (e->kind != GCAL_FEATURE_BARRIER_LOCAL ||
            has_symbol(a->written, "f_sync_barrier_local"))
            return 0;
        return add_term(a, strdup("f_sync_barrier_local * f_thread_groups"),
                        strdup("barrier"), strdup("barrier_local"), err);
    case GCAL_CONFIG_CLASS_WORK_GROUPS:
        return add_term(a, strdup("f_thread_groups"), strdup("group"),
                        strdup("thread_group"), err);
    case GCAL_CONFIG_CLASS_LAUNCHES:
        return add_term(a, strdup("f_sync_kernel_launch"), strdup("launch"),
                        strdup("kernel_launch"), err);
    case GCAL_CONFIG_N_CLASSES:
        break;
    }
    return 0;
}

static int add_kernels(struct adding *a, const struct gcal_kernel_list *kernels,
                       struct gcal_error *err)
{
    const char *variant = "";

    for (size_t i = 0; i < kernels->n_kernels; i++) {
        const struct gcal_profile *p = kernels->kernels[i]->profile;

        if (strcmp(kernels->kernels[i]->variant, variant) == 0)
            continue; /* the same counts */
        variant = kernels->kernels[i]->variant;
        a->profile = p;
        for (size_t k = 0; k < p->n_entries; k++)
            if (add_entry(a, &p->entries[k], err) < 0)
                return -1;
    }
    return 0;
}

int gcal_select_terms_add(struct gcal_select_terms *terms, enum gcal_config_class class,
                          const struct gcal_select_sources *sources,
                          const struct gcal_expr *written, struct gcal_error *err)
{
    struct adding a = { .terms = terms, .class = class, .written = written };
    int rc;

    a.target = true;
    rc = add_kernels(&a, &sources->targets, err);
    a.target = false;
    if (rc == 0 && (class == GCAL_CONFIG_CLASS_MEMORY_COMPONENTS ||
                    class == GCAL_CONFIG_CLASS_ONCHIP_COMPONENTS))
        rc = add_kernels(&a, &sources->mixed, err);
    return rc;
}

/* ---- names ---- */

/* Whether an expression of the user has the parameter, or a form adds it. */
static bool is_taken(const char *parameter, const struct gcal_expr *written)
{
    const char *form;

    for (size_t k = 0; (form = gcal_form_name(k)); k++) {
        size_t n;
        const struct gcal_form_parameter *added = gcal_form_parameters(form, &n);

        for (size_t i = 0; i < n; i++)
            if (gcal_form_parameter_is(&added[i], parameter))
                return true;
    }
    return has_symbol(written, parameter);
}

/* Terms for which the name of term 'i' is proposed. */
static size_t count_alike(const struct gcal_select_terms *terms, size_t i)
{
    size_t n = 0;

    for (size_t k = 0; k < terms->n; k++)
        n += strcmp(terms->items[k].name, terms->items[i].name) == 0;
    return n;
}

static bool is_free(const struct gcal_select_terms *terms, const char *parameter,
                    const struct gcal_expr *written)
{
    for (size_t i = 0; i < terms->n; i++)
        if (terms->items[i].parameter &&
            strcmp(terms->items[i].parameter, parameter) == 0)
            return false;
    return !is_taken(parameter, written);
}

/* The first one free: its name, if it is proposed for no other term; its longer name;
 * that with a number.
 */
static char *choose_name(const struct gcal_select_terms *terms, size_t i,
                         const struct gcal_expr *written)
{
    const struct gcal_select_term *term = &terms->items[i];
    char *chosen = NULL;

    if (count_alike(terms, i) == 1 && (chosen = gcal_buf_format("p_%s", term->name)) &&
        is_free(terms, chosen, written))
        return chosen;
    for (size_t number = 1;; number++) {
        free(chosen);
        chosen = number == 1 ? gcal_buf_format("p_%s", term->longer_name)
                             : gcal_buf_format("p_%s_%zu", term->longer_name, number);
        if (!chosen || is_free(terms, chosen, written))
            return chosen;
    }
}

int gcal_select_terms_name(struct gcal_select_terms *terms,
                           const struct gcal_expr *written, struct gcal_error *err)
{
    for (size_t i = 0; i < terms->n; i++)
        if (!(terms->items[i].parameter = choose_name(terms, i, written)))
            return gcal_error_memory(err);
    return 0;
}
