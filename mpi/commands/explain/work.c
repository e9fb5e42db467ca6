/* work.c - the kernel in other work-groups, doing the same work
 *
 * Another work-group may leave work out: with one work-group for each row and the same global
 * size, work-groups of twice the size are half as many.  Whether it does is counted: what is
 * stored must be as much, and as much of each array must be accessed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "mpi/commands/count/features.h"
#include "mpi/commands/explain/private.h"

/* A profile with its counts at some sizes. */
struct side {
    const struct gcal_profile *profile;
    const double *sizes;
    double *values; /* by entry */
};

static bool is_memory(const struct gcal_profile_entry *e)
{
    return (e->kind == GCAL_FEATURE_MEM_ACCESS || e->kind == GCAL_FEATURE_ATOMIC) &&
           e->array && e->space != GCAL_FEATURE_SPACE_LOCAL &&
           e->space != GCAL_FEATURE_SPACE_PRIVATE;
}

/* Bytes of the array that work-items access; what sub-groups access as one does not tell. */
static double accessed_bytes(const struct side *s, const char *array, bool stores_alone)
{
    double sum = 0;

    for (size_t i = 0; i < s->profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &s->profile->entries[i];

        if (!is_memory(e) || strcmp(e->array, array) != 0 ||
            (stores_alone && (e->direction == GCAL_FEATURE_LOAD ||
                              e->granularity != GCAL_FEATURE_PER_WORK_ITEM)))
            continue;
        sum += s->values[i] * (double)(gcal_dtype_size(e->dtype) * e->vector_width);
    }
    return sum;
}

/* How far the accesses to an argument reach, in bytes; NaN: unknown. */
static double reach_of(const struct side *s, const char *array)
{
    const struct gcal_profile *p = s->profile;

    for (size_t i = 0; i < p->n_arguments; i++)
        if (strcmp(p->arguments[i].name, array) == 0) {
            struct gcal_expr *expr =
                gcal_expr_parse_in(p->arguments[i].bytes, p->n_parameters,
                                   (const char *const *)p->parameters, NULL);
            double bytes = expr ? gcal_expr_eval(expr, s->sizes) : NAN;

            gcal_expr_destroy(expr);
            return bytes;
        }
    return NAN;
}

static int compare_bytes(double before, double now, const char *array, const char *what,
                         struct gcal_error *err)
{
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];

    if (fabs(before - now) <= 1e-9 * fmax(before, now))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s of '%s' are %s instead of %s",
                          gcal_units(now, "B", to), array, what,
                          gcal_units(before, "B", from));
}

/* Where it is unknown how far accesses reach, there must be as many of them. */
static int check_array(const struct side *before, const struct side *now,
                       const char *array, struct gcal_error *err)
{
    double reach = reach_of(before, array), reach_now = reach_of(now, array);

    if (compare_bytes(accessed_bytes(before, array, true),
                      accessed_bytes(now, array, true), array, "stored", err) < 0)
        return -1;
    if (isnan(reach) || isnan(reach_now))
        return compare_bytes(accessed_bytes(before, array, false),
                             accessed_bytes(now, array, false), array, "accessed", err);
    return compare_bytes(reach, reach_now, array, "reached", err);
}

static int check_arrays(const struct side *before, const struct side *now,
                        const struct gcal_profile *of, struct gcal_error *err)
{
    for (size_t i = 0; i < of->n_entries; i++)
        if (is_memory(&of->entries[i]) &&
            check_array(before, now, of->entries[i].array, err) < 0)
            return -1;
    return 0;
}

static int count_side(struct gcal_arena *arena, struct side *s,
                      const struct gcal_profile *profile, double lanes,
                      const double *sizes, struct gcal_error *err)
{
    double copy[GCAL_PROFILE_MAX_PARAMETERS + 1] = { 0 };
    const struct gcal_count_points point = { .n = 1,
                                             .n_sizes = profile->n_parameters,
                                             .values = copy };

    memcpy(copy, sizes, profile->n_parameters * sizeof(*copy));
    *s = (struct side){ profile, sizes,
                        gcal_count_features_values(arena, profile, lanes, &point, err) };
    return s->values ? 0 : -1;
}

/* -1 with what differs. */
static int check_same_work(const struct gcal_explain_case *c, const double *sizes,
                           const struct gcal_profile *other, struct gcal_error *err)
{
    const struct gcal_profile *own = c->subject->target.profile;
    double lanes = fmax(1, (double)c->lab->device->info.sub_group_size);
    struct side before, now;

    if (count_side(c->arena, &before, own, lanes, sizes, err) < 0 ||
        count_side(c->arena, &now, other, lanes, sizes, err) < 0 ||
        check_arrays(&before, &now, own, err) < 0)
        return -1;
    return check_arrays(&before, &now, other, err);
}

GCAL_ARENA_DESTROYER(destroy_profile, gcal_profile_destroy)

/* With the options' NDRange and sizes, if they have the same names. */
static const struct gcal_profile *count_again(const struct gcal_explain_case *c,
                                              const struct gcal_count_options *count,
                                              struct gcal_error *err)
{
    const struct gcal_kernel_counting counting =
        gcal_predict_counting(c->lab->device, gcal_predictor_model(c->lab->predictor));
    const struct gcal_profile *own = c->subject->target.profile;
    struct gcal_profile *p = gcal_arena_own(
        c->arena, gcal_predict_profile(count, &counting, err), destroy_profile);
    bool same = p && p->n_parameters == own->n_parameters;

    if (!p)
        return NULL;
    for (size_t i = 0; same && i < p->n_parameters; i++)
        same = strcmp(p->parameters[i], own->parameters[i]) == 0;
    if (!same)
        gcal_error_set(err, GCAL_EINPUT, "so counted, the kernel has other sizes");
    return same ? p : NULL;
}

/* NULL if it does other work. */
static const struct gcal_profile *count_same_work(const struct gcal_explain_case *c,
                                                  const struct gcal_count_options *count,
                                                  const double *sizes,
                                                  struct gcal_error *err)
{
    const struct gcal_profile *p = count_again(c, count, err);

    if (p && check_same_work(c, sizes, p, err) < 0) {
        gcal_error_prefix(err, "the kernel would do other work");
        return NULL;
    }
    return p;
}

GCAL_ARENA_DESTROYER(destroy_subject, gcal_predict_subject_clear)

/* The tags with these sizes in place of theirs. */
static struct gcal_option_list resize_tags(const struct gcal_explain_case *c,
                                           const double *sizes)
{
    const struct gcal_profile *p = c->subject->target.profile;
    const struct gcal_option_list *old = &c->options->tags;
    const char **items =
        gcal_arena_alloc(c->arena, old->n + p->n_parameters, sizeof(*items));
    size_t n = 0;

    for (size_t i = 0; i < old->n; i++) {
        size_t length = strcspn(old->items[i], ":");
        bool is_size = false;

        for (size_t k = 0; k < p->n_parameters; k++)
            is_size = is_size || (strlen(p->parameters[k]) == length &&
                                  strncmp(p->parameters[k], old->items[i], length) == 0);
        if (!is_size)
            items[n++] = old->items[i];
    }
    for (size_t k = 0; k < p->n_parameters; k++)
        items[n++] = gcal_arena_format(c->arena, "%s:%.15g", p->parameters[k], sizes[k]);
    return (struct gcal_option_list){ .n = n, .items = items };
}

int gcal_explain_resize(struct gcal_explain_case *c, const double *sizes,
                        struct gcal_error *err)
{
    struct gcal_predict_subject_options *options =
        gcal_arena_alloc(c->arena, 1, sizeof(*options));
    struct gcal_predict_subject *subject =
        gcal_arena_alloc(c->arena, 1, sizeof(*subject));
    const char **at = gcal_arena_alloc(c->arena, 1, sizeof(*at));

    *options = *c->options;
    c->options = options;
    if (options->tags.n) {
        options->tags = resize_tags(c, sizes);
        options->pick = 0;
        c->subject = subject;
        gcal_arena_own(c->arena, subject, destroy_subject);
        return gcal_predict_subject_open(options, subject, err);
    }
    *subject = *c->subject;
    *at = gcal_arena_own(c->arena, gcal_count_point_name(subject->target.profile, sizes),
                         free);
    options->count.ats = (struct gcal_option_list){ .n = 1, .items = at };
    c->subject = subject;
    return (subject->target.profile = count_again(c, &options->count, err)) ? 0 : -1;
}

/* As many work-groups as before: "(64*rows)*128/64"; returns them all. */
static const char *scale_global(const struct gcal_explain_case *c,
                                struct gcal_count_options *count)
{
    const struct gcal_profile *own = c->subject->target.profile;
    const char *all = "";

    for (size_t d = 0; d < count->n_dims; d++) {
        if (count->local[d] != own->local_size[d])
            count->global[d] =
                gcal_arena_format(c->arena, "(%s)*%zu/%zu", count->global[d],
                                  count->local[d], own->local_size[d]);
        all = gcal_arena_format(c->arena, "%s%s%s", all, d ? "," : "", count->global[d]);
    }
    return all;
}

const struct gcal_profile *gcal_explain_recount(const struct gcal_explain_case *c,
                                                const double *sizes, size_t n_dims,
                                                const size_t *local, const char **global,
                                                struct gcal_error *err)
{
    struct gcal_count_options count = c->options->count;
    const struct gcal_profile *profile;

    *global = NULL;
    if (!count.file) {
        gcal_error_set(err, GCAL_EINPUT,
                       "another work-group requires KERNEL.cl, to be counted again");
        return NULL;
    }
    count.n_dims = n_dims;
    memcpy(count.local, local, n_dims * sizeof(*local));
    if (!(profile = count_same_work(c, &count, sizes, err)) &&
        n_dims == c->subject->target.profile->n_dims) {
        const char *scaled = scale_global(c, &count);

        if ((profile = count_same_work(c, &count, sizes, NULL)))
            *global = scaled;
    }
    return profile;
}
