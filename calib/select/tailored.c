/* tailored.c - the form that is fitted to the target kernels themselves
 *
 * For each target kernel a cost of its memory accesses and one of its on-chip work,
 * fitted at other sizes (Stevens and Kloeckner 2020, section 2).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"
#include "calib/select/rows.h"

/* The two costs are identifiable if the ratio of their features changes by more than this
 * share between a kernel's sizes.
 */
#define LEAST_CHANGE 0.3

/* A kernel's tag and the range of its two features. */
struct component_pair {
    const char *tag;     /* borrowed from a profile */
    bool memory, onchip; /* whether there is work of that kind */
    double least, most;  /* of onchip / memory */
};

struct pairs {
    size_t n, capacity;
    struct component_pair *items;
};

static struct component_pair *find_or_add(struct pairs *pairs, const char *tag,
                                          struct gcal_error *err)
{
    struct component_pair *moved;

    for (size_t i = 0; i < pairs->n; i++)
        if (strcmp(pairs->items[i].tag, tag) == 0)
            return &pairs->items[i];
    moved =
        gcal_array_grow(pairs->items, pairs->n, &pairs->capacity, sizeof(*moved), err);
    if (!moved)
        return NULL;
    pairs->items = moved;
    moved[pairs->n] = (struct component_pair){ .tag = tag, .least = INFINITY };
    return &moved[pairs->n++];
}

static int add_kernel(struct pairs *pairs, const struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    static const char *const features[] = { "f_memory", "f_onchip" };
    const char *tag = gcal_profile_component(kernel->profile);
    struct component_pair *pair;
    double counts[2];

    if (!tag)
        return 0;
    if (!(pair = find_or_add(pairs, tag, err)) ||
        gcal_select_count_features(kernel, 2, features, counts, err) < 0)
        return -1;
    pair->memory = pair->memory || counts[0] > 0;
    pair->onchip = pair->onchip || counts[1] > 0;
    if (counts[0] > 0) {
        pair->least = fmin(pair->least, counts[1] / counts[0]);
        pair->most = fmax(pair->most, counts[1] / counts[0]);
    }
    return 0;
}

/* Both costs if they are identifiable, else the memory accesses' if there are any. */
static void put_pair(const struct component_pair *pair, struct gcal_buf *sum)
{
    bool both = pair->memory && pair->onchip &&
                pair->most - pair->least > LEAST_CHANGE * pair->most;
    const char *plus = sum->size ? " + " : "";

    if (both)
        gcal_buf_printf(sum,
                        "%sp_%s_memory * f_memory_tag:%s + p_%s_onchip * f_onchip_tag:%s",
                        plus, pair->tag, pair->tag, pair->tag, pair->tag);
    else
        gcal_buf_printf(sum, "%sp_%s * f_%s_tag:%s", plus, pair->tag,
                        pair->memory ? "memory" : "onchip", pair->tag);
}

/* Number of consecutive sizes of one kernel from index 'first'. */
static size_t count_family(const struct gcal_kernel_list *list, size_t first)
{
    size_t n = 1;

    while (first + n < list->n_kernels &&
           strcmp(list->kernels[first + n]->family, list->kernels[first]->family) == 0)
        n++;
    return n;
}

/* Only the larger half of each kernel's sizes: the smallest have other ratios, but are
 * mostly too short to be measured.
 */
char *gcal_select_tailored_expression(const struct gcal_kernel_list *targets,
                                      const char *overhead, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };
    struct pairs pairs = { 0 };
    char *text = NULL;
    size_t n;

    for (size_t i = 0; i < targets->n_kernels; i += n) {
        n = count_family(targets, i);
        for (size_t k = i + n / 2; k < i + n; k++)
            if (add_kernel(&pairs, targets->kernels[k], err) < 0)
                goto out;
    }
    for (size_t i = 0; i < pairs.n; i++)
        put_pair(&pairs.items[i], &sum);
    if (!pairs.n) {
        gcal_error_set(err, GCAL_EINPUT,
                       "none of the kernels in 'predicts' has memory accesses or "
                       "on-chip work");
        goto out;
    }
    if (overhead)
        gcal_buf_printf(&sum, " + %s", overhead);
    text = gcal_buf_take(&sum, err);
out:
    gcal_buf_free(&sum);
    free(pairs.items);
    return text;
}
