/* parameters.c - what varies between the configurations of a space, by the arguments of their
 * kernels
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/generate/generate.h"
#include "mpi/commands/tune/private.h"

/* A parameter for the generator, where the others do not distinguish its kernels. */
#define KERNEL "kernel"

/* ---- arguments ---- */

void gcal_tune_arguments_add(struct gcal_arena *arena, struct gcal_tune_arguments *a,
                             const char *name, const char *value)
{
    a->all = gcal_arena_grow(arena, a->all, a->n, &a->capacity, sizeof(*a->all));
    a->all[a->n++] = (struct gcal_tune_argument){ name, value };
}

struct gcal_tune_arguments gcal_tune_arguments_read(struct gcal_arena *arena,
                                                    const char *name)
{
    struct gcal_tune_arguments a = { 0 };
    char *rest = gcal_arena_strdup(arena, name), *word;

    while ((word = strsep(&rest, " "))) {
        char *colon = strchr(word, ':');

        if (!colon)
            continue;
        *colon = '\0';
        gcal_tune_arguments_add(arena, &a, word, colon + 1);
    }
    return a;
}

static const char *find_argument(const struct gcal_tune_arguments *a, const char *name)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->all[i].name, name) == 0)
            return a->all[i].value;
    return NULL;
}

/* ---- parameters ---- */

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* n_values: it has no such value. */
static size_t find_value(const struct gcal_tune_parameter *p, const char *value)
{
    size_t i = 0;

    while (i < p->n_values && !is_same(p->values[i], value))
        i++;
    return i;
}

static void include_value(struct gcal_arena *arena, struct gcal_tune_parameter *p,
                          const char *value)
{
    if (find_value(p, value) < p->n_values)
        return;
    p->values =
        gcal_arena_grow(arena, p->values, p->n_values, &p->capacity, sizeof(*p->values));
    p->values[p->n_values++] = value;
}

/* Those of all arguments, of which 'capacity' is the room. */
struct found {
    size_t n, capacity;
    struct gcal_tune_parameter *all;
};

static struct gcal_tune_parameter *find_parameter(struct gcal_arena *arena,
                                                  struct found *found, const char *name)
{
    for (size_t i = 0; i < found->n; i++)
        if (strcmp(found->all[i].name, name) == 0)
            return &found->all[i];
    found->all = gcal_arena_grow(arena, found->all, found->n, &found->capacity,
                                 sizeof(*found->all));
    found->all[found->n].name = name;
    return &found->all[found->n++];
}

/* Returns whether each generator has values of its own of the parameter, and so needs no other one.
 */
static bool shows_generator(struct gcal_arena *arena, const struct gcal_kernel_list *list,
                            const struct gcal_tune_arguments *arguments,
                            const struct gcal_tune_parameter *p)
{
    const char **generators = gcal_arena_alloc(arena, p->n_values, sizeof(*generators));

    for (size_t i = 0; i < list->n_kernels; i++) {
        const char *value = find_argument(&arguments[i], p->name);
        const char **of = &generators[find_value(p, value)];

        if (!value || !is_same(*of ? *of : list->kernels[i]->generator,
                               list->kernels[i]->generator))
            return false;
        *of = list->kernels[i]->generator;
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const char *s = *(const char *const *)a, *t = *(const char *const *)b;
    double x = s ? strtod(s, NULL) : HUGE_VAL, y = t ? strtod(t, NULL) : HUGE_VAL;

    return (x > y) - (x < y);
}

/* Conditions change the order in which values appear. */
static void sort_numbers(struct gcal_tune_parameter *p)
{
    for (size_t i = 0; i < p->n_values; i++) {
        char *end = "";

        if (p->values[i])
            strtod(p->values[i], &end);
        if (*end)
            return;
    }
    if (p->n_values)
        qsort(p->values, p->n_values, sizeof(*p->values), compare_numbers);
}

/* ---- configurations ---- */

/* All arguments, and their values. */
static struct found collect(struct gcal_arena *arena, size_t n,
                            const struct gcal_tune_arguments *arguments)
{
    struct found found = { 0 };

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < arguments[i].n; k++)
            include_value(arena, find_parameter(arena, &found, arguments[i].all[k].name),
                          arguments[i].all[k].value);
    /* Kernels of several generators, or files, may lack an argument. */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < found.n; k++)
            if (!find_argument(&arguments[i], found.all[k].name))
                include_value(arena, &found.all[k], NULL);
    return found;
}

void gcal_tune_parameters_fill(struct gcal_arena *arena, struct gcal_tune_space *space,
                               const struct gcal_tune_arguments *arguments,
                               const struct gcal_strings *always)
{
    struct found found = collect(arena, space->n_configs, arguments);

    space->parameters = gcal_arena_alloc(arena, found.n, sizeof(*space->parameters));
    for (size_t i = 0; i < found.n; i++)
        if (found.all[i].n_values > 1 || !always ||
            gcal_strings_contain(always, found.all[i].name)) {
            sort_numbers(&found.all[i]);
            space->parameters[space->n_parameters++] = found.all[i];
        }
    space->configs = gcal_arena_alloc(arena, space->n_configs, sizeof(*space->configs));
    for (size_t i = 0; i < space->n_configs; i++) {
        struct gcal_tune_config *config = &space->configs[i];
        config->values =
            gcal_arena_alloc(arena, space->n_parameters, sizeof(*config->values));
        config->name = "";
        for (size_t k = 0; k < space->n_parameters; k++) {
            const struct gcal_tune_parameter *p = &space->parameters[k];
            const char *value = find_argument(&arguments[i], p->name);

            config->values[k] = find_value(p, value);
            if (p->n_values > 1 && value)
                config->name =
                    gcal_arena_format(arena, "%s%s%s:%s", config->name,
                                      *config->name ? " " : "", p->name, value);
        }
    }
}

/* The generator as an argument, where there are several and nothing else shows which. */
static void add_generators(struct gcal_arena *arena, const struct gcal_kernel_list *list,
                           struct gcal_tune_arguments *arguments)
{
    struct found found = collect(arena, list->n_kernels, arguments);
    struct gcal_tune_parameter kernel = { .name = KERNEL };

    for (size_t i = 0; i < list->n_kernels; i++)
        include_value(arena, &kernel, list->kernels[i]->generator);
    if (kernel.n_values < 2)
        return;
    for (size_t i = 0; i < found.n; i++)
        if (shows_generator(arena, list, arguments, &found.all[i]))
            return;
    for (size_t i = 0; i < list->n_kernels; i++)
        gcal_tune_arguments_add(arena, &arguments[i], KERNEL,
                                list->kernels[i]->generator);
}

void gcal_tune_parameters_find(struct gcal_arena *arena, struct gcal_tune_space *space,
                               const struct gcal_strings *always)
{
    const struct gcal_kernel_list *list = space->kernels;
    struct gcal_tune_arguments *arguments =
        gcal_arena_alloc(arena, list->n_kernels, sizeof(*arguments));

    space->n_configs = list->n_kernels;
    for (size_t i = 0; i < list->n_kernels; i++)
        arguments[i] = gcal_tune_arguments_read(arena, list->kernels[i]->name);
    add_generators(arena, list, arguments);
    gcal_tune_parameters_fill(arena, space, arguments, always);
    for (size_t i = 0; i < list->n_kernels; i++)
        space->configs[i].kernel = list->kernels[i];
}

const char *gcal_tune_value(const struct gcal_tune_space *space, size_t config,
                            size_t parameter)
{
    return space->parameters[parameter].values[space->configs[config].values[parameter]];
}

size_t gcal_tune_find(struct gcal_arena *arena, const struct gcal_tune_space *space,
                      const struct gcal_tune_arguments *arguments)
{
    size_t *wanted = gcal_arena_alloc(arena, space->n_parameters, sizeof(*wanted));
    size_t found = 0, k;

    for (size_t i = 0; i < space->fixed.n; i++) {
        const char *value = find_argument(arguments, space->fixed.all[i].name);

        if (value && strcmp(value, space->fixed.all[i].value) != 0)
            return space->n_configs;
    }
    for (size_t i = 0; i < space->n_parameters; i++)
        wanted[i] = find_value(&space->parameters[i],
                               find_argument(arguments, space->parameters[i].name));
    for (; found < space->n_configs; found++) {
        for (k = 0; k < space->n_parameters; k++)
            if (space->parameters[k].n_values > 1 &&
                space->configs[found].values[k] != wanted[k])
                break;
        if (k == space->n_parameters)
            break;
    }
    return found;
}
