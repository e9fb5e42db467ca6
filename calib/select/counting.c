/* counting.c - what has to be counted for models' features */
#include "kernels/generate/generate.h"
#include "kernels/model/feature.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "calib/config/config.h"
#include "calib/select/private.h"

void gcal_select_add_counting(size_t n_features, const char *const *features,
                              struct gcal_kernel_counting *counting)
{
    for (size_t i = 0; i < n_features; i++) {
        bool known = counting->sub_group_size > 0;
        struct gcal_feature f;

        if (gcal_feature_parse(features[i], &f, NULL) < 0)
            continue; /* reported where the model is bound */
        switch (gcal_feature_info(f.kind)->counted) {
        case GCAL_FEATURE_COUNTED_WITH_INDEX_ARITHMETIC:
            counting->index_arithmetic = true;
            break;
        case GCAL_FEATURE_COUNTED_WITH_BANKS:
            counting->n_banks = known ? GCAL_PROFILE_BANKS : 0;
            break;
        case GCAL_FEATURE_COUNTED_WITH_TRAFFIC:
            counting->sector_bytes = known ? GCAL_PROFILE_SECTOR_BYTES : 0;
            break;
        case GCAL_FEATURE_COUNTED_WITH_SUB_GROUP: /* given the size, always */
        case GCAL_FEATURE_COUNTED_ALWAYS:
        case GCAL_FEATURE_COUNTED_NEVER:
        case GCAL_FEATURE_COUNTED_DEVICE:
            break;
        }
        gcal_feature_clear(&f);
    }
}

void gcal_select_add_config_counting(const struct gcal_config *config,
                                     struct gcal_kernel_counting *counting)
{
    for (size_t i = 0; i < config->n_models; i++)
        for (size_t k = 0; k < config->models[i].n_forms; k++) {
            const struct gcal_model *model = config->models[i].forms[k].model;

            gcal_select_add_counting(model->n_features,
                                     (const char *const *)model->features, counting);
        }
}

struct gcal_kernel_limits gcal_select_nominal_limits(const struct gcal_model *model)
{
    struct gcal_kernel_limits limits = gcal_kernel_nominal_limits;

    limits.counting.sub_group_size = GCAL_SELECT_NOMINAL_SUB_GROUP;
    if (model)
        gcal_select_add_counting(model->n_features, (const char *const *)model->features,
                                 &limits.counting);
    return limits;
}
