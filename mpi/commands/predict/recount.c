/* recount.c - kernels of a record, counted again for models that need more of them */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "mpi/commands/predict/evaluate.h"
#include "store/predict/predictor.h"

/* Gives 'k' counts and sizes of the catalogue's kernel. */
static int count_again(const struct gcal_catalogue *catalogue,
                       const struct gcal_device_info *info,
                       const struct gcal_kernel_counting *needed,
                       struct gcal_run_kernel *k, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_kernel_limits limits = gcal_select_device_limits(info);
    struct gcal_kernel_list list = { 0 };
    struct gcal_run_kernel counted, made = *k;
    struct gcal_kernel *kernel;
    int rc;

    limits.counting = *needed;
    rc = gcal_catalogue_kernel_find(catalogue, k->name, &limits, &list, &kernel, err);
    if (rc == 0)
        rc = gcal_plan_record_kernel(arena, kernel, &counted, err);
    if (rc == 0 &&
        (strcmp(k->source, counted.source) != 0 || strcmp(k->entry, counted.entry) != 0 ||
         strcmp(k->build_options, counted.build_options) != 0 ||
         strcmp(k->launch, counted.launch) != 0))
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "source or launch of the catalogue's kernel differ");
    if (rc == 0) {
        made.profile = counted.profile;
        made.sub_group_size = counted.sub_group_size;
        made.n_sizes = counted.n_sizes;
        made.size_names = counted.size_names;
        made.size_values = counted.size_values;
        counted = (struct gcal_run_kernel){ 0 };
        if ((rc = gcal_run_kernel_copy(&counted, &made, err)) == 0) {
            gcal_run_kernel_clear(k);
            *k = counted;
        }
    }
    gcal_kernel_list_clear(&list);
    gcal_arena_destroy(arena);
    return rc;
}

/* '*catalogue' is opened once a kernel needs it. */
static int recount_kernel(const struct gcal_evaluation_targets *t,
                          const struct gcal_record *record,
                          struct gcal_catalogue **catalogue,
                          struct gcal_measured_kernel *k, struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = { .records = { record } };
    const struct gcal_device_info *info = &t->published->info;
    struct gcal_profile *profile = gcal_run_kernel_profile(&k->kernel, err);
    const struct gcal_profile *known = profile;
    const struct gcal_params_model *model =
        profile ? gcal_predictor_choose(t->published, t->model, 1, &known, err) : NULL;
    struct gcal_kernel_counting needed;
    struct gcal_error why = { 0 };
    bool lacks_some = false;

    if (model) {
        needed = gcal_evaluation_counting(t, model->name, info);
        lacks_some = (needed.n_banks && !profile->n_banks) ||
                     (needed.sector_bytes && !profile->sector_bytes) ||
                     (needed.index_arithmetic && !profile->index_arithmetic);
    }
    gcal_profile_destroy(profile);
    if (!lacks_some)
        return model ? 0 : -1;
    if (!*catalogue && !(*catalogue = gcal_command_catalogue_open(&from, err)))
        return -1;
    if (count_again(*catalogue, info, &needed, &k->kernel, &why) < 0) {
        gcal_error_prefix(&why,
                          "the record lacks counts that the model needs, and the kernel "
                          "cannot be counted again");
        k->uncounted = gcal_arena_strdup(t->arena, why.text);
    }
    return 0;
}

int gcal_evaluation_recount(const struct gcal_evaluation_targets *targets,
                            const struct gcal_record *record,
                            struct gcal_measured_kernels *measured, size_t first,
                            struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = NULL;
    int rc = 0;

    for (size_t i = first; i < measured->n && rc == 0; i++)
        if (gcal_evaluation_selects(targets, &measured->kernels[i]))
            rc = recount_kernel(targets, record, &catalogue, &measured->kernels[i], err);
    gcal_catalogue_close(catalogue);
    return rc;
}
