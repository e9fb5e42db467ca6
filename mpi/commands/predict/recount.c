/* recount.c - kernels of a record, counted again for models that need more of them */
#include "mpi/commands/predict/recount.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "store/predict/predictor.h"

struct recount {
    const struct gcal_evaluation_targets *targets;
    const struct gcal_evaluation_selection *selection;
    const struct gcal_record *record;
    const struct gcal_device_info *info;
    struct gcal_catalogue *catalogue; /* NULL until a kernel needs it */
};

/* ---- what is missing ---- */

/* What the model that predicts the kernel needs. */
static int find_needed(const struct recount *r, const struct gcal_profile *profile,
                       struct gcal_kernel_counting *needed, struct gcal_error *err)
{
    struct gcal_evaluation_targets one = *r->targets;
    const struct gcal_params_model *model =
        gcal_predictor_choose(one.published, r->selection->model, 1, &profile, err);

    if (!model)
        return -1;
    one.model = model->name;
    *needed = gcal_evaluation_counting(&one, r->info);
    return 0;
}

static bool lacks(const struct gcal_profile *profile,
                  const struct gcal_kernel_counting *needed)
{
    return (needed->n_banks && !profile->n_banks) ||
           (needed->sector_bytes && !profile->sector_bytes) ||
           (needed->index_arithmetic && !profile->index_arithmetic);
}

/* ---- counting ---- */

static int open_catalogue(struct recount *r, struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = { .records = { r->record } };

    if (!r->catalogue)
        r->catalogue = gcal_command_catalogue_open(&from, err);
    return r->catalogue ? 0 : -1;
}

static bool is_same(const struct gcal_run_kernel *a, const struct gcal_run_kernel *b)
{
    return strcmp(a->source, b->source) == 0 && strcmp(a->entry, b->entry) == 0 &&
           strcmp(a->build_options, b->build_options) == 0 &&
           strcmp(a->launch, b->launch) == 0;
}

/* Takes counts and sizes of 'counted', which is cleared. */
static void take_counts(struct gcal_run_kernel *k, struct gcal_run_kernel *counted)
{
    struct gcal_run_kernel old = *k;

    k->profile = counted->profile;
    k->sub_group_size = counted->sub_group_size;
    k->n_sizes = counted->n_sizes;
    k->size_names = counted->size_names;
    k->size_values = counted->size_values;
    counted->profile = old.profile;
    counted->n_sizes = old.n_sizes;
    counted->size_names = old.size_names;
    counted->size_values = old.size_values;
    gcal_run_kernel_clear(counted);
}

static int count(const struct recount *r, const struct gcal_kernel_counting *needed,
                 struct gcal_run_kernel *k, struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(r->info);
    struct gcal_kernel_list list = { 0 };
    struct gcal_run_kernel counted;
    struct gcal_kernel *kernel;
    int rc = -1;

    limits.counting = *needed;
    if (gcal_catalogue_kernel_find(r->catalogue, k->name, &limits, &list, &kernel, err) ==
            0 &&
        (rc = gcal_plan_record_kernel(kernel, &counted, err)) == 0) {
        if (is_same(k, &counted))
            take_counts(k, &counted);
        else {
            gcal_run_kernel_clear(&counted);
            rc = gcal_error_set(err, GCAL_EINPUT,
                                "source or launch of the catalogue's kernel differ");
        }
    }
    gcal_kernel_list_clear(&list);
    return rc;
}

static int recount_one(struct recount *r, struct gcal_measured_kernel *k,
                       struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_run_kernel_profile(&k->kernel, err);
    struct gcal_kernel_counting needed;
    struct gcal_error why = { 0 };
    int rc = profile ? find_needed(r, profile, &needed, err) : -1;
    bool again = rc == 0 && lacks(profile, &needed);

    gcal_profile_destroy(profile);
    if (!again)
        return rc;
    if (open_catalogue(r, err) < 0)
        return -1;
    if (count(r, &needed, &k->kernel, &why) == 0)
        return 0;
    gcal_error_prefix(&why,
                      "the record lacks counts that the model needs, and the kernel "
                      "cannot be counted again");
    return (k->uncounted = strdup(why.text)) ? 0 : gcal_error_memory(err);
}

int gcal_evaluation_recount(const struct gcal_evaluation_targets *targets,
                            const struct gcal_evaluation_selection *selection,
                            const struct gcal_record *record,
                            const struct gcal_device_info *info,
                            struct gcal_measured_kernels *measured, size_t first,
                            struct gcal_error *err)
{
    struct recount r = { targets, selection, record, info, NULL };
    int rc = 0;

    for (size_t i = first; i < measured->n && rc == 0; i++)
        if (gcal_evaluation_selects(selection, &measured->kernels[i], targets->published))
            rc = recount_one(&r, &measured->kernels[i], err);
    gcal_catalogue_close(r.catalogue);
    return rc;
}
