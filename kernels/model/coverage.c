/* coverage.c - work of a kernel that a model has no cost for */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"

/* The size of a word of memory that transfers copy. */
#define WORD_BYTES 4

/* ---- which entries are covered ---- */

enum cover { COVER_NONE, COVER_TESTED, COVER_ALWAYS };

static bool equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_traffic(const struct gcal_profile_entry *entry)
{
    return entry->kind == GCAL_FEATURE_LOCAL_PASS || entry->kind == GCAL_FEATURE_SECTOR ||
           entry->kind == GCAL_FEATURE_LINE;
}

/* Of atomic operations. */
static bool is_meeting(const struct gcal_profile_entry *entry)
{
    return entry->kind == GCAL_FEATURE_ATOMIC_PASS ||
           entry->kind == GCAL_FEATURE_ATOMIC_ADDRESS ||
           entry->kind == GCAL_FEATURE_ATOMIC_SECTOR ||
           entry->kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS;
}

static bool is_meeting_of(const struct gcal_profile_entry *meeting,
                          const struct gcal_profile_entry *atomic)
{
    return is_meeting(meeting) && atomic->kind == GCAL_FEATURE_ATOMIC &&
           atomic->space == meeting->space && equal(meeting->dtype, atomic->dtype) &&
           equal(meeting->op, atomic->op) && equal(meeting->array, atomic->array) &&
           equal(meeting->tag, atomic->tag);
}

/* Accesses are counted by themselves, by their passes in local memory, or by their sectors or
 * lines elsewhere: a cost of any will do.
 */
static bool is_traffic_of(const struct gcal_profile_entry *traffic,
                          const struct gcal_profile_entry *access)
{
    bool local = access->space == GCAL_FEATURE_SPACE_LOCAL;

    return is_traffic(traffic) && access->kind == GCAL_FEATURE_MEM_ACCESS &&
           access->space != GCAL_FEATURE_SPACE_PRIVATE &&
           local == (traffic->kind == GCAL_FEATURE_LOCAL_PASS) &&
           traffic->direction == access->direction &&
           equal(traffic->dtype, access->dtype) && equal(traffic->array, access->array) &&
           equal(traffic->tag, access->tag);
}

/* Work that takes time of its own, by all entries but those of traffic. */
static bool is_executed(const struct gcal_profile_entry *entry)
{
    return gcal_feature_info(entry->kind)->execution != GCAL_FEATURE_EXECUTION_NONE &&
           !gcal_feature_is_auxiliary(entry->kind);
}

static bool is_work(const struct gcal_profile_entry *entry)
{
    return is_executed(entry) || is_traffic(entry) || is_meeting(entry);
}

/* Entries of one feature are of one kind, and what is work follows from the kind alone: so the
 * order of entries, which is that of their names, does not matter.
 */
static bool counts_work(const struct gcal_binding_feature *feature,
                        const struct gcal_profile *p)
{
    return feature->n_terms && is_work(&p->entries[feature->terms[0].entry]);
}

/* A model without any feature of index arithmetic leaves it out: to it, a kernel is the same
 * whether that was counted or not.
 */
static bool leaves_out(const struct gcal_binding_subject *subject,
                       const struct gcal_profile_entry *entry)
{
    const char *prefix = gcal_feature_info(GCAL_FEATURE_INDEX_OP)->name;

    if (entry->kind != GCAL_FEATURE_INDEX_OP)
        return false;
    for (size_t i = 0; i < subject->model->n_features; i++)
        if (strncmp(subject->model->features[i], prefix, strlen(prefix)) == 0)
            return false;
    return true;
}

/* A kernel whose own components were measured lacks the costs of transfers alone. */
static bool is_gap(const struct gcal_profile_entry *entry,
                   const struct gcal_binding_subject *subject, enum cover cover)
{
    if (!is_executed(entry) || cover == COVER_ALWAYS || leaves_out(subject, entry))
        return false;
    return !subject->measured || gcal_feature_is_transfer(entry->kind);
}

/* ---- all work, to compute shares of ---- */

static double items_per_execution(const struct gcal_binding *b,
                                  const struct gcal_profile *p,
                                  enum gcal_feature_granularity granularity)
{
    double group = 1;

    if (granularity == GCAL_FEATURE_PER_SUB_GROUP)
        return b->sub_group_size;
    for (size_t d = 0; d < p->n_dims && granularity == GCAL_FEATURE_PER_WORK_GROUP; d++)
        group *= (double)p->local_size[d];
    return group;
}

/* The number of entries if there is none. */
static size_t find_kind(const struct gcal_profile *p, enum gcal_feature_kind kind)
{
    size_t i = 0;

    while (i < p->n_entries && p->entries[i].kind != kind)
        i++;
    return i;
}

/* Executed by all work-items: which profiles may count by work-groups alone. */
static int multiply_by_items(struct gcal_binding *b, const struct gcal_profile *p,
                             struct gcal_binding_work *work, struct gcal_error *err)
{
    size_t items = find_kind(p, GCAL_FEATURE_WORK_ITEMS);

    if (items == p->n_entries) {
        items = find_kind(p, GCAL_FEATURE_THREAD_GROUPS);
        work->weight *= items_per_execution(b, p, GCAL_FEATURE_PER_WORK_GROUP);
    }
    if (items == p->n_entries)
        return 0;
    return (work->times = gcal_binding_count(b, p, items, err)) ? 0 : -1;
}

/* What a name in proportions has of an entry: all but its tag, width, and strides, which are the
 * kernel's own, with the stride between neighbours of global memory as 0, 1 or other.  NULL for
 * work that only some profiles count, or if memory ran out.
 */
static char *class_of(const struct gcal_profile_entry *entry)
{
    static const char *const ends[] = { "_width:", "_lstrides:", "_gstrides:", "_afr:" };
    const char *name = entry->feature, *stride = entry->lid_stride[0], *order = "";
    const char *tag = strstr(name, "_tag:");
    size_t n = strlen(name), start = tag ? (size_t)(tag - name) : n;
    const char *rest = tag ? strchrnul(tag + 1, '_') : name + n;

    if (gcal_feature_info(entry->kind)->counted != GCAL_FEATURE_COUNTED_ALWAYS ||
        gcal_feature_is_transfer(entry->kind))
        return NULL;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        const char *end = strstr(name, ends[i]);

        if (end && (size_t)(end - name) < n)
            n = (size_t)(end - name);
    }
    if (entry->kind == GCAL_FEATURE_MEM_ACCESS &&
        entry->space == GCAL_FEATURE_SPACE_GLOBAL)
        order = equal(stride, "0")   ? "_lstrides:{0:0}"
                : equal(stride, "1") ? "_lstrides:{0:1}"
                                     : "_lstrides:{0:>1}";
    return start < n ? gcal_buf_format("%.*s%.*s%s", (int)start, name,
                                       (int)(name + n - rest), rest, order)
                     : gcal_buf_format("%.*s%s", (int)n, name, order);
}

static const struct gcal_proportion *find_proportion(const struct gcal_proportions *all,
                                                     const char *class)
{
    for (size_t i = 0; i < all->n && class; i++)
        if (strcmp(all->items[i].feature, class) == 0)
            return &all->items[i];
    return NULL;
}

static int add_work(struct gcal_binding *b, const struct gcal_profile *p, size_t entry,
                    enum cover cover, const struct gcal_binding_subject *subject,
                    struct gcal_error *err)
{
    const struct gcal_profile_entry *e = &p->entries[entry];
    enum gcal_feature_execution execution = gcal_feature_info(e->kind)->execution;
    struct gcal_binding_work *work = &b->work[b->n_work++];

    work->entry = entry;
    work->gap = is_gap(e, subject, cover);
    work->tested = work->gap && cover == COVER_TESTED;
    b->n_gaps += work->gap;
    work->class = work->gap ? class_of(e) : NULL;
    work->proportion = find_proportion(&b->proportions, work->class);
    work->weight = execution == GCAL_FEATURE_EXECUTION_BYTES
                       ? 1.0 / WORD_BYTES
                       : items_per_execution(b, p, e->granularity);
    if (!(work->feature = strdup(e->feature)))
        return gcal_error_memory(err);
    if (execution == GCAL_FEATURE_EXECUTION_BY_ALL &&
        multiply_by_items(b, p, work, err) < 0)
        return -1;
    return (work->count = gcal_binding_count(b, p, entry, err)) ? 0 : -1;
}

static int add_all_work(struct gcal_binding *b, const struct gcal_profile *p,
                        const struct gcal_binding_subject *subject,
                        const enum cover *cover, struct gcal_error *err)
{
    if (!(b->work = calloc(p->n_entries, sizeof(*b->work))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_executed(&p->entries[i]) && !leaves_out(subject, &p->entries[i]) &&
            add_work(b, p, i, cover[i], subject, err) < 0)
            return -1;
    return 0;
}

int gcal_binding_find_gaps(struct gcal_binding *b, const struct gcal_profile *p,
                           const struct gcal_binding_subject *subject,
                           struct gcal_error *err)
{
    enum cover *cover = calloc(p->n_entries + 1, sizeof(*cover));
    bool *costs = calloc(b->n_features + 1, sizeof(*costs)), gap = false;
    int rc = cover && costs ? 0 : gcal_error_memory(err);

    if (rc == 0 && !subject->has_cost)
        rc = gcal_model_find_costs(subject->model, subject->parameters, costs, err);
    if (rc < 0)
        goto out;
    /* The cover of each entry by the terms of features that have a cost. */
    const bool *has_cost = subject->has_cost ? subject->has_cost : costs;
    for (size_t i = 0; i < b->n_features; i++) {
        bool cost = counts_work(&b->features[i], p) && has_cost[i];

        for (size_t k = 0; k < b->features[i].n_terms && cost; k++) {
            const struct gcal_binding_term *term = &b->features[i].terms[k];

            enum cover *to = &cover[term->entry];
            enum cover by = term->n_tests || term->premise ? COVER_TESTED : COVER_ALWAYS;
            if (by > *to)
                *to = by;
        }
    }
    for (size_t i = 0; i < p->n_entries; i++)
        for (size_t k = 0; k < p->n_entries && cover[i] == COVER_ALWAYS; k++)
            if (is_traffic_of(&p->entries[i], &p->entries[k]) ||
                is_meeting_of(&p->entries[i], &p->entries[k]))
                cover[k] = COVER_ALWAYS;
    if (subject->proportions && !subject->measured) {
        gap = subject->proportions->n > 0;
        rc = gcal_proportions_copy(&b->proportions, subject->proportions, err);
    }
    for (size_t i = 0; i < p->n_entries; i++)
        gap = gap || is_gap(&p->entries[i], subject, cover[i]);
    if (gap && rc == 0)
        rc = add_all_work(b, p, subject, cover, err);
out:
    free(costs);
    free(cover);
    return rc;
}

void gcal_binding_clear_work(struct gcal_binding *b)
{
    for (size_t i = 0; i < b->n_work; i++) {
        free(b->work[i].feature);
        free(b->work[i].class);
    }
    free(b->work);
    gcal_proportions_clear(&b->proportions);
}

/* ---- for some sizes ---- */

static bool is_covered(const struct gcal_binding *b, const struct gcal_binding_work *work,
                       const double *values)
{
    for (size_t i = 0; i < b->n_features && work->tested; i++)
        for (size_t k = 0; k < b->features[i].n_terms; k++)
            if (b->features[i].terms[k].entry == work->entry &&
                gcal_binding_term_holds(&b->features[i].terms[k], values))
                return true;
    return !work->gap;
}

size_t gcal_binding_gap_count(const struct gcal_binding *b)
{
    return b->n_gaps;
}

/* Proportions that differ by this factor are alike. */
#define PROPORTION_SLACK 1.25

/* Executions of the kernel's work at some sizes. */
struct amounts {
    double all, covered;
    double of[GCAL_PROPORTIONS_MAX]; /* without a cost, by proportion */
};

static void set_values(const struct gcal_binding *b, const double *sizes, double *values)
{
    for (size_t i = 0; i < b->n_parameters; i++)
        values[i] = sizes[i];
    values[b->n_parameters] = b->sub_group_size;
    values[b->n_parameters + 1] = b->wave_groups;
}

static double executions_of(const struct gcal_binding_work *work, const double *values)
{
    return work->weight * gcal_expr_eval(work->count, values) *
           (work->times ? gcal_expr_eval(work->times, values) : 1);
}

static struct amounts sum_work(const struct gcal_binding *b, const double *values)
{
    struct amounts sum = { 0 };

    for (size_t i = 0; i < b->n_work; i++) {
        const struct gcal_binding_work *work = &b->work[i];
        double executions = executions_of(work, values);

        sum.all += executions;
        if (is_covered(b, work, values))
            sum.covered += executions;
        else if (work->proportion)
            sum.of[work->proportion - b->proportions.items] += executions;
    }
    return sum;
}

/* The share of an uncovered entry's executions that are more than the costs stand for. */
static double excess_of(const struct gcal_binding *b,
                        const struct gcal_binding_work *work, const struct amounts *sum)
{
    double most, has;

    if (!work->proportion)
        return 1;
    most = PROPORTION_SLACK * work->proportion->max * sum->covered;
    has = sum->of[work->proportion - b->proportions.items];
    return has > most ? (has - most) / has : 0;
}

double gcal_binding_gaps(const struct gcal_binding *b, const double *sizes,
                         struct gcal_binding_gap *gaps, const char **largest)
{
    double values[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES], missing = 0,
                                                                            most = 0;
    struct amounts sum;
    size_t n = 0;

    *largest = NULL;
    set_values(b, sizes, values);
    sum = sum_work(b, values);
    for (size_t i = 0; i < b->n_work; i++) {
        const struct gcal_binding_work *work = &b->work[i];
        double executions = is_covered(b, work, values)
                                ? 0
                                : executions_of(work, values) * excess_of(b, work, &sum);

        missing += executions;
        if (executions > most) {
            most = executions;
            *largest = work->feature;
        }
        if (gaps && work->gap)
            gaps[n++] =
                (struct gcal_binding_gap){ work->feature,
                                           gcal_expr_eval(work->count, values),
                                           sum.all > 0 ? executions / sum.all : 0 };
    }
    return sum.all > 0 ? missing / sum.all : 0;
}

double gcal_binding_lack(const struct gcal_binding *b, const double *sizes,
                         const char **largest)
{
    double values[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES], lack = 0,
                                                                            most = 0;
    struct amounts sum;

    *largest = NULL;
    set_values(b, sizes, values);
    sum = sum_work(b, values);
    for (size_t i = 0; i < b->proportions.n; i++) {
        const struct gcal_proportion *p = &b->proportions.items[i];
        double absent = p->min / PROPORTION_SLACK * sum.covered - sum.of[i];

        lack += absent > 0 ? absent : 0;
        if (absent > most) {
            most = absent;
            *largest = p->feature;
        }
    }
    return lack > 0 ? lack / (sum.all + lack) : 0;
}

/* ---- proportions ---- */

void gcal_proportions_clear(struct gcal_proportions *proportions)
{
    for (size_t i = 0; i < proportions->n; i++)
        free(proportions->items[i].feature);
    free(proportions->items);
    *proportions = (struct gcal_proportions){ 0 };
}

static int add_proportion(struct gcal_proportions *to, const char *feature, double min,
                          double max, struct gcal_error *err)
{
    struct gcal_proportion *moved = realloc(to->items, (to->n + 1) * sizeof(*to->items));

    if (!moved)
        return gcal_error_memory(err);
    to->items = moved;
    moved[to->n] = (struct gcal_proportion){ strdup(feature), min, max };
    return moved[to->n++].feature ? 0 : gcal_error_memory(err);
}

int gcal_proportions_copy(struct gcal_proportions *to,
                          const struct gcal_proportions *from, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < from->n && rc == 0; i++)
        rc = add_proportion(to, from->items[i].feature, from->items[i].min,
                            from->items[i].max, err);
    return rc;
}

/* Work without a cost that is less than the rest is not what the costs stand for. */
#define LEAST_SHARE 0.5

int gcal_binding_add_proportions(const struct gcal_binding *b, const double *sizes,
                                 size_t n_kernels, struct gcal_proportions *proportions,
                                 struct gcal_error *err)
{
    double values[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    double ratio[GCAL_PROPORTIONS_MAX] = { 0 };
    struct amounts sum;

    set_values(b, sizes, values);
    sum = sum_work(b, values);
    if (!(sum.covered > 0) || sum.all - sum.covered < LEAST_SHARE * sum.all)
        return 0;
    for (size_t i = 0; i < b->n_work; i++) {
        const struct gcal_binding_work *work = &b->work[i];
        const struct gcal_proportion *p = find_proportion(proportions, work->class);

        if (is_covered(b, work, values) || !work->class)
            continue;
        if (!p && proportions->n == GCAL_PROPORTIONS_MAX)
            return 0;
        if (!p && add_proportion(proportions, work->class, n_kernels ? 0 : INFINITY, 0,
                                 err) < 0)
            return -1;
        ratio[p ? (size_t)(p - proportions->items) : proportions->n - 1] +=
            executions_of(work, values) / sum.covered;
    }
    for (size_t i = 0; i < proportions->n; i++) {
        struct gcal_proportion *p = &proportions->items[i];

        p->min = fmin(p->min, ratio[i]);
        p->max = fmax(p->max, ratio[i]);
    }
    return 1;
}
