/* devices.c - pairs the devices of two records */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/compare/private.h"

struct side {
    const struct gcal_record *record;
    size_t n, *pair;
};

static bool same_place(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->node, b->node) == 0 && strcmp(a->info.uid, b->info.uid) == 0;
}

static bool same_uid(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->info.uid, b->info.uid) == 0;
}

static bool same_type(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->info.type, b->info.type) == 0;
}

typedef bool same_fn(const struct gcal_run_device *a, const struct gcal_run_device *b);

/* The only device of 's' without a pair that is the same; NULL for none or several. */
static const struct gcal_run_device *only(const struct side *s, same_fn *same,
                                          const struct gcal_run_device *device,
                                          size_t *at)
{
    const struct gcal_run_device *found = NULL, *candidate;

    for (size_t i = 0; i < s->n; i++) {
        candidate = &s->record->devices[i];
        if (s->pair[i] != SIZE_MAX || !same(candidate, device))
            continue;
        if (found)
            return NULL;
        found = candidate;
        *at = i;
    }
    return found;
}

static void pair_by(struct side *before, struct side *after, same_fn *same,
                    struct gcal_compare_records *diff)
{
    const struct gcal_run_device *a, *b;
    size_t at, back;

    for (size_t i = 0; i < before->n; i++) {
        a = &before->record->devices[i];
        if (before->pair[i] != SIZE_MAX || !(b = only(after, same, a, &at)) ||
            !only(before, same, b, &back))
            continue;
        before->pair[i] = after->pair[at] = diff->n_devices;
        diff->devices[diff->n_devices++] =
            (struct gcal_compare_devices){ .before = a, .after = b };
    }
}

static int refuse(const struct side *before, const struct side *after,
                  struct gcal_error *err)
{
    const struct side *sides[] = { before, after };
    struct gcal_buf list = { 0 };

    for (size_t k = 0; k < 2; k++) {
        gcal_buf_puts(&list, k ? "; the second has" : "the first has");
        for (size_t i = 0; i < sides[k]->n; i++)
            gcal_buf_printf(&list, "%s %s", i ? "," : "",
                            sides[k]->record->devices[i].info.type);
    }
    gcal_error_set(err, GCAL_EINPUT, "the records have no device in common: %s",
                   list.data ? list.data : "(out of memory)");
    gcal_buf_free(&list);
    return -1;
}

int gcal_compare_pair_devices(const struct gcal_record *before,
                              const struct gcal_record *after, size_t *in_before,
                              size_t *in_after, struct gcal_compare_records *diff,
                              struct gcal_error *err)
{
    struct side a = { before, before->n_devices, in_before };
    struct side b = { after, after->n_devices, in_after };

    if (!(diff->devices = calloc(a.n + 1, sizeof(*diff->devices))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < a.n; i++)
        in_before[i] = SIZE_MAX;
    for (size_t i = 0; i < b.n; i++)
        in_after[i] = SIZE_MAX;
    pair_by(&a, &b, same_place, diff);
    pair_by(&a, &b, same_uid, diff);
    pair_by(&a, &b, same_type, diff);
    return diff->n_devices ? 0 : refuse(&a, &b, err);
}
