/* forms.c - built-in forms of a model's costs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/form.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"
#include "calib/select/rows.h"

/* ---- the form that is fitted to the target kernels themselves
 *
 * For each target kernel a cost of its memory accesses and one of its on-chip work,
 * fitted at other sizes (Stevens and Kloeckner 2020, section 2).
 */

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

static int add_kernel(struct gcal_arena *arena, struct pairs *pairs,
                      const struct gcal_kernel *kernel, struct gcal_error *err)
{
    static const char *const features[] = { "f_memory", "f_onchip" };
    const char *tag = gcal_profile_component(kernel->profile);
    struct component_pair *pair;
    double counts[2];
    size_t i = 0;

    if (!tag)
        return 0;
    while (i < pairs->n && strcmp(pairs->items[i].tag, tag) != 0)
        i++;
    if (i == pairs->n) {
        pairs->items = gcal_arena_grow(arena, pairs->items, pairs->n++, &pairs->capacity,
                                       sizeof(*pairs->items));
        pairs->items[i] = (struct component_pair){ .tag = tag, .least = INFINITY };
    }
    if (gcal_select_count_features(kernel, 2, features, counts, err) < 0)
        return -1;
    pair = &pairs->items[i];
    pair->memory = pair->memory || counts[0] > 0;
    pair->onchip = pair->onchip || counts[1] > 0;
    if (counts[0] > 0) {
        pair->least = fmin(pair->least, counts[1] / counts[0]);
        pair->most = fmax(pair->most, counts[1] / counts[0]);
    }
    return 0;
}

/* Only the larger half of each kernel's sizes: the smallest have other ratios, but are
 * mostly too short to be measured.  NULL with 'err'.
 */
static char *tailored_expression(struct gcal_arena *arena,
                                 const struct gcal_kernel_list *targets,
                                 const char *overhead, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };
    struct pairs pairs = { 0 };

    for (size_t i = 0, end; i < targets->n_kernels; i = end) {
        for (end = i + 1;
             end < targets->n_kernels &&
             strcmp(targets->kernels[end]->family, targets->kernels[i]->family) == 0;)
            end++;
        for (size_t k = i + (end - i) / 2; k < end; k++)
            if (add_kernel(arena, &pairs, targets->kernels[k], err) < 0)
                return NULL;
    }
    if (!pairs.n) {
        gcal_error_set(err, GCAL_EINPUT,
                       "none of the kernels in 'predicts' has memory accesses or "
                       "on-chip work");
        return NULL;
    }
    /* Both costs if they are identifiable, else the memory accesses' if there are any. */
    for (size_t i = 0; i < pairs.n; i++) {
        const struct component_pair *pair = &pairs.items[i];
        const char *plus = sum.size ? " + " : "";

        if (pair->memory && pair->onchip &&
            pair->most - pair->least > LEAST_CHANGE * pair->most)
            gcal_buf_printf(
                &sum, "%sp_%s_memory * f_memory_tag:%s + p_%s_onchip * f_onchip_tag:%s",
                plus, pair->tag, pair->tag, pair->tag, pair->tag);
        else
            gcal_buf_printf(&sum, "%sp_%s * f_%s_tag:%s", plus, pair->tag,
                            pair->memory ? "memory" : "onchip", pair->tag);
    }
    if (overhead)
        gcal_buf_printf(&sum, " + %s", overhead);
    return gcal_arena_take(arena, &sum);
}

/* ---- all forms ---- */

static int create(struct gcal_config_model *m, struct gcal_config_form *form,
                  const struct gcal_select_sources *sources,
                  const struct gcal_select_costs *costs, struct gcal_error *err)
{
    char *text =
        form->tailored
            ? tailored_expression(m->arena, &sources->targets, costs->overhead, err)
            : gcal_arena_own(m->arena,
                             gcal_form_expression(form->name, costs->n_groups,
                                                  costs->groups, costs->overhead, err),
                             free);
    const struct gcal_form_parameter *added;
    size_t n;

    if (!text)
        return gcal_error_prefix(err, "model '%.60s', form '%s'", m->name, form->name);
    form->model = gcal_config_own(m, gcal_model_create(m->name, m->output, text, err));
    if (!form->model)
        return gcal_error_prefix(err, "model '%.60s'", m->name);
    /* The parameters that a form adds have ranges of their own; it has no use for some of them if
     * there is one group only.
     */
    added = gcal_form_parameters(form->name, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < form->model->n_parameters; k++) {
            struct gcal_model_parameter *p = &form->model->parameters[k];
            char *unit;

            if (!gcal_form_parameter_is(&added[i], p->name))
                continue;
            if (!(unit = strdup(added[i].unit)))
                return gcal_error_memory(err);
            free(p->unit);
            p->unit = unit;
            p->initial = added[i].initial;
            p->min = added[i].min;
            p->max = added[i].max;
        }
    return 0;
}

int gcal_select_forms(struct gcal_config_model *m,
                      const struct gcal_select_sources *sources,
                      const struct gcal_select_costs *costs, struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_error why = { 0 };

        if (!m->forms[i].model && create(m, &m->forms[i], sources, costs, &why) < 0)
            return gcal_yaml_error(m->forms[i].node, err, "%s", why.text);
    }
    return 0;
}
