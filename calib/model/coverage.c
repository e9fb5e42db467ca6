/* coverage.c - work of a kernel that a model has no cost for */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/binding_private.h"
#include "calib/model/expr.h"
#include "calib/model/model.h"

/* Of the memory that transfers copy. */
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

static void raise_cover(enum cover *to, enum cover by)
{
    if (by > *to)
        *to = by;
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

static bool has_cost(const struct gcal_binding_subject *subject, size_t feature)
{
    return subject->has_cost ? subject->has_cost[feature]
                             : gcal_model_feature_has_cost(subject->model,
                                                           subject->parameters, feature);
}

/* The cover of each entry by the terms of features that have a cost. */
static void find_cover(const struct gcal_binding *b, const struct gcal_profile *p,
                       const struct gcal_binding_subject *subject, enum cover *cover)
{
    for (size_t i = 0; i < b->n_features; i++) {
        bool cost = counts_work(&b->features[i], p) && has_cost(subject, i);

        for (size_t k = 0; k < b->features[i].n_terms && cost; k++) {
            const struct gcal_binding_term *term = &b->features[i].terms[k];

            raise_cover(&cover[term->entry],
                        term->n_tests || term->premise ? COVER_TESTED : COVER_ALWAYS);
        }
    }
    for (size_t i = 0; i < p->n_entries; i++)
        for (size_t k = 0; k < p->n_entries && cover[i] == COVER_ALWAYS; k++)
            if (is_traffic_of(&p->entries[i], &p->entries[k]) ||
                is_meeting_of(&p->entries[i], &p->entries[k]))
                cover[k] = COVER_ALWAYS;
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

/* The entry that counts work-items; the number of entries if there is none. */
static size_t work_items(const struct gcal_profile *p)
{
    size_t i = 0;

    while (i < p->n_entries && p->entries[i].kind != GCAL_FEATURE_WORK_ITEMS)
        i++;
    return i;
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
    work->weight = execution == GCAL_FEATURE_EXECUTION_BYTES
                       ? 1.0 / WORD_BYTES
                       : items_per_execution(b, p, e->granularity);
    if (!(work->feature = strdup(e->feature)))
        return gcal_error_memory(err);
    if (execution == GCAL_FEATURE_EXECUTION_BY_ALL && work_items(p) < p->n_entries &&
        !(work->times = gcal_binding_count(b, p, work_items(p), err)))
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
    bool gap = false;
    int rc = 0;

    if (!cover)
        return gcal_error_memory(err);
    find_cover(b, p, subject, cover);
    for (size_t i = 0; i < p->n_entries; i++)
        gap = gap || is_gap(&p->entries[i], subject, cover[i]);
    if (gap)
        rc = add_all_work(b, p, subject, cover, err);
    free(cover);
    return rc;
}

void gcal_binding_clear_work(struct gcal_binding *b)
{
    for (size_t i = 0; i < b->n_work; i++) {
        free(b->work[i].feature);
    }
    free(b->work);
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

double gcal_binding_gaps(const struct gcal_binding *b, const double *sizes,
                         struct gcal_binding_gap *gaps, const char **largest)
{
    double values[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES],
        total = 0, missing = 0, most = 0;
    size_t n = 0;

    *largest = NULL;
    for (size_t i = 0; i < b->n_parameters; i++)
        values[i] = sizes[i];
    values[b->n_parameters] = b->sub_group_size;
    values[b->n_parameters + 1] = b->wave_groups;
    for (size_t i = 0; i < b->n_work; i++) {
        const struct gcal_binding_work *work = &b->work[i];
        double count = gcal_expr_eval(work->count, values);
        double executions = work->weight * count *
                            (work->times ? gcal_expr_eval(work->times, values) : 1);
        bool covered = is_covered(b, work, values);

        total += executions;
        missing += covered ? 0 : executions;
        if (!covered && executions > most) {
            most = executions;
            *largest = work->feature;
        }
        if (gaps && work->gap)
            gaps[n++] = (struct gcal_binding_gap){ work->feature, count,
                                                   covered ? 0 : executions };
    }
    for (size_t i = 0; i < n; i++)
        gaps[i].share = total > 0 ? gaps[i].share / total : 0;
    return total > 0 ? missing / total : 0;
}
