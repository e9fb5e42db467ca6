/* generator.c - look-ups in a generator and its settings */
#include <string.h>

#include "kernels/generate/private.h"

const struct gcal_generator_arg *
gcal_generator_find_arg(const struct gcal_generator *generator, const char *name)
{
    for (size_t i = 0; i < generator->n_arguments; i++)
        if (strcmp(generator->arguments[i].name, name) == 0)
            return &generator->arguments[i];
    return NULL;
}

const char *gcal_generator_setting_value(const struct gcal_generator_setting *setting,
                                         const char *argument)
{
    const struct gcal_generator *g = setting->generator;
    const struct gcal_generator_arg *a = gcal_generator_find_arg(g, argument);

    return a ? setting->values[(size_t)(a - g->arguments)] : NULL;
}

const char *gcal_generator_keep_value(const struct gcal_generator_setting *s)
{
    for (size_t i = 0; i < s->generator->n_arguments; i++)
        if (s->generator->arguments[i].form == GCAL_GENERATOR_VALUES_LOADS)
            return s->values[i];
    return NULL;
}

bool gcal_generator_is_transfer(const struct gcal_yaml *root)
{
    return gcal_yaml_find(root, "transfer") && !gcal_yaml_find(root, "source") &&
           !gcal_yaml_find(root, "kernel");
}

const struct gcal_yaml *gcal_generator_require(const struct gcal_yaml *map,
                                               const char *key, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (!node)
        gcal_yaml_error(map, err, "key '%s' is missing", key);
    return node;
}
