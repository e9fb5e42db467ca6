/* fuzz_profile.c - any bytes as a profile: refused, or written back the same, bound to
 * features and evaluated
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int decode(const char *text, size_t size, struct gcal_profile_set *set)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, size, "fuzz", NULL);
    int rc = root ? gcal_profile_set_decode(root, set, NULL) : -1;

    gcal_yaml_destroy(root);
    return rc;
}

static void evaluate(const struct gcal_profile *profile)
{
    static const char *const features[] = {
        "f_op_float32_madd", "f_mem_access_global_float32_load_lstrides:{0:1}",
        "f_mem_access_tag:a_afr:>1", "f_sync_barrier_local", "f_atomic_add_afr:>1"
    };
    struct gcal_binding *binding = gcal_binding_create(profile, 5, features, 32, NULL);
    double *sizes = calloc(profile->n_parameters + 1, sizeof(*sizes)), values[5];

    for (size_t i = 0; sizes && i < profile->n_parameters; i++)
        sizes[i] = 2048;
    if (binding && sizes)
        gcal_binding_eval(binding, sizes, values, NULL);
    gcal_binding_destroy(binding);
    free(sizes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcal_profile_set set = { 0 }, again = { 0 };
    char *once = NULL, *twice = NULL;

    if (decode((const char *)data, size, &set) < 0)
        return 0;
    for (size_t k = 0; k < set.n; k++)
        evaluate(set.profiles[k]);
    if ((once = gcal_profile_set_encode(&set, NULL)) &&
        decode(once, strlen(once), &again) == 0)
        twice = gcal_profile_set_encode(&again, NULL);
    if (!twice || strcmp(once, twice) != 0)
        abort();
    gcal_profile_set_clear(&set);
    gcal_profile_set_clear(&again);
    free(once);
    free(twice);
    return 0;
}
