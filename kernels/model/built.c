/* built.c - what drivers say of a built kernel, in its profile */
#include "kernels/model/built.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile_private.h"

#define MAX_TYPES 1000 /* of devices, for profiles from outside */

/* The numbers of a device, as the profile has them. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    { "registers", offsetof(struct gcal_built, registers) },
    { "private_bytes", offsetof(struct gcal_built, private_bytes) },
    { "work_group_size", offsetof(struct gcal_built, work_group_size) },
    { "multiple", offsetof(struct gcal_built, multiple) },
};

enum { N_NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static uint64_t *number(struct gcal_built *built, size_t i)
{
    return (uint64_t *)(void *)((char *)built + numbers[i].offset);
}

bool gcal_built_is_known(const struct gcal_built *built)
{
    return built->registers || built->private_bytes || built->work_group_size ||
           built->multiple;
}

static struct gcal_profile_built *find(const struct gcal_profile *profile,
                                       const char *type)
{
    for (size_t i = 0; type && i < profile->n_built; i++)
        if (strcmp(profile->built[i].device, type) == 0)
            return &profile->built[i];
    return NULL;
}

const struct gcal_built *gcal_built_find(const struct gcal_profile *profile,
                                         const char *type)
{
    const struct gcal_profile_built *found = find(profile, type);

    return found ? &found->built : NULL;
}

static struct gcal_profile_built *add(struct gcal_profile *profile, const char *type,
                                      struct gcal_error *err)
{
    struct gcal_profile_built *grown =
        reallocarray(profile->built, profile->n_built + 1, sizeof(*grown));

    if (grown)
        profile->built = grown;
    if (!grown || !(grown[profile->n_built].device = strdup(type))) {
        gcal_error_memory(err);
        return NULL;
    }
    return &grown[profile->n_built++];
}

int gcal_built_set(struct gcal_profile *profile, const char *type,
                   const struct gcal_built *built, struct gcal_error *err)
{
    struct gcal_profile_built *item = find(profile, type);

    if (!gcal_built_is_known(built))
        return 0;
    if (!item && !(item = add(profile, type, err)))
        return -1;
    item->built = *built;
    return 0;
}

void gcal_built_clear(struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_built; i++)
        free(profile->built[i].device);
    free(profile->built);
}

/* ---- YAML ---- */

/* A size of private memory is known where the size of work-groups is. */
static bool is_written(const struct gcal_built *built, size_t i, uint64_t value)
{
    return value || (built->work_group_size &&
                     numbers[i].offset == offsetof(struct gcal_built, private_bytes));
}

void gcal_built_write(struct gcal_yaml_writer *w, const struct gcal_profile *profile)
{
    if (!profile->n_built)
        return;
    gcal_yaml_write_text(w, "built");
    gcal_yaml_write_list(w);
    for (size_t k = 0; k < profile->n_built; k++) {
        struct gcal_built built = profile->built[k].built;

        gcal_yaml_write_map(w);
        gcal_yaml_put_text(w, "device", profile->built[k].device);
        for (size_t i = 0; i < N_NUMBERS; i++)
            if (is_written(&built, i, *number(&built, i))) {
                gcal_yaml_write_text(w, numbers[i].key);
                gcal_yaml_write_integer(w, (long long)*number(&built, i));
            }
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

static int decode_item(struct gcal_profile_decoder *d, const struct gcal_yaml *map)
{
    static const char *const known[] = { "device",          "registers", "private_bytes",
                                         "work_group_size", "multiple",  NULL };
    struct gcal_built built = { 0 };
    const struct gcal_yaml *device, *node;
    const char *type;
    long long value;

    if (gcal_yaml_check_keys(map, known, d->err) < 0 ||
        !(device = gcal_profile_need(map, "device", d->err)) ||
        !(type = gcal_yaml_text(device, "device", d->err)))
        return -1;
    for (size_t i = 0; i < N_NUMBERS; i++) {
        if (!(node = gcal_yaml_find(map, numbers[i].key)))
            continue;
        if (gcal_yaml_integer(node, numbers[i].key, 0, 1LL << 40, &value, d->err) < 0)
            return -1;
        *number(&built, i) = (uint64_t)value;
    }
    return gcal_built_set(d->profile, type, &built, d->err);
}

int gcal_built_decode(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *list;

    if (!gcal_yaml_find(root, "built"))
        return 0;
    if (!(list = gcal_profile_need_list(root, "built", 0, MAX_TYPES, d->err)))
        return -1;
    for (size_t i = 0; i < list->n_items; i++)
        if (decode_item(d, list->items[i]) < 0)
            return -1;
    return 0;
}
