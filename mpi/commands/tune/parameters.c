/* parameters.c - what varies between the configurations of a space, from their names */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/predict/kernel_names.h"
#include "mpi/commands/tune/private.h"

/* A parameter for the generator, where the others do not distinguish its kernels. */
#define KERNEL "kernel"

/* ---- values by argument ---- */

struct argument {
    char *name;
    struct gcal_strings values;
};

struct arguments {
    size_t n, capacity;
    struct argument *all;
};

static void arguments_clear(struct arguments *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->all[i].name);
        gcal_strings_clear(&a->all[i].values);
    }
    free(a->all);
}

static struct argument *arguments_find(struct arguments *a, const char *name,
                                       size_t length, struct gcal_error *err)
{
    struct argument *moved;

    for (size_t i = 0; i < a->n; i++)
        if (strncmp(a->all[i].name, name, length) == 0 && !a->all[i].name[length])
            return &a->all[i];
    if (!(moved = gcal_array_grow(a->all, a->n, &a->capacity, sizeof(*moved), err)))
        return NULL;
    a->all = moved;
    moved[a->n] = (struct argument){ .name = strndup(name, length) };
    if (moved[a->n].name)
        return &moved[a->n++];
    gcal_error_memory(err);
    return NULL;
}

static int include_value(struct argument *a, const char *text, size_t length,
                         struct gcal_error *err)
{
    char *value = strndup(text, length);
    int rc =
        value ? gcal_strings_include(&a->values, value, err) : gcal_error_memory(err);

    free(value);
    return rc;
}

/* The words "ARGUMENT:VALUE" of a kernel's name. */
static int add_words(struct arguments *a, const char *name, struct gcal_error *err)
{
    size_t length;

    for (const char *word; (word = gcal_strings_next_word(&name, &length));) {
        const char *colon = memchr(word, ':', length);
        struct argument *argument;

        if (!colon)
            continue;
        if (!(argument = arguments_find(a, word, (size_t)(colon - word), err)) ||
            include_value(argument, colon + 1, (size_t)(word + length - colon - 1), err) <
                0)
            return -1;
    }
    return 0;
}

/* Kernels of several generators may lack an argument. */
static int add_missing(struct arguments *a, const char *name, struct gcal_error *err)
{
    size_t length;

    for (size_t i = 0; i < a->n; i++)
        if (!gcal_kernel_name_argument(name, a->all[i].name, &length) &&
            strcmp(a->all[i].name, KERNEL) != 0 &&
            gcal_strings_include(&a->all[i].values, GCAL_TUNE_NO_VALUE, err) < 0)
            return -1;
    return 0;
}

static int collect(const struct gcal_kernel_list *list, struct arguments *a,
                   struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        if (add_words(a, list->kernels[i]->name, err) < 0)
            return -1;
    for (size_t i = 0; i < list->n_kernels; i++)
        if (add_missing(a, list->kernels[i]->name, err) < 0)
            return -1;
    return 0;
}

/* ---- parameters ---- */

static double number_of(const char *value)
{
    return strcmp(value, GCAL_TUNE_NO_VALUE) == 0 ? HUGE_VAL : strtod(value, NULL);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = number_of(*(char *const *)a), y = number_of(*(char *const *)b);

    return (x > y) - (x < y);
}

/* Conditions change the order in which values appear. */
static void sort_numbers(struct gcal_strings *values)
{
    for (size_t i = 0; i < values->n; i++) {
        char *end;

        strtod(values->items[i], &end);
        if (*end && strcmp(values->items[i], GCAL_TUNE_NO_VALUE) != 0)
            return;
    }
    if (values->n)
        qsort(values->items, values->n, sizeof(*values->items), compare_numbers);
}

/* Moves name and values. */
static void take_parameter(struct gcal_tune_space *space, struct argument *a)
{
    sort_numbers(&a->values);
    space->parameters[space->n_parameters++] = (struct gcal_tune_parameter){
        .name = a->name, .n_values = a->values.n, .values = a->values.items
    };
    *a = (struct argument){ 0 };
}

static bool is_parameter(const struct argument *a, const struct gcal_strings *always)
{
    return a->values.n > 1 || gcal_strings_contain(always, a->name);
}

static size_t find_value(const struct gcal_tune_parameter *p, const char *text,
                         size_t length)
{
    size_t i = 0;

    while (strncmp(p->values[i], text, length) != 0 || p->values[i][length])
        i++;
    return i;
}

static const char *value_text(const struct gcal_kernel *kernel,
                              const struct gcal_tune_parameter *p, size_t *length)
{
    const char *text = strcmp(p->name, KERNEL) == 0
                           ? kernel->generator
                           : gcal_kernel_name_argument(kernel->name, p->name, length);

    if (!text)
        text = GCAL_TUNE_NO_VALUE;
    if (text == kernel->generator || strcmp(text, GCAL_TUNE_NO_VALUE) == 0)
        *length = strlen(text);
    return text;
}

/* ---- configurations ---- */

int gcal_tune_name_config(const struct gcal_tune_space *space,
                          struct gcal_tune_config *config, struct gcal_error *err)
{
    struct gcal_buf name = { 0 };

    gcal_buf_puts(&name, "");
    for (size_t i = 0; i < space->n_parameters; i++) {
        const struct gcal_tune_parameter *p = &space->parameters[i];
        const char *value = p->values[config->values[i]];

        if (p->n_values > 1 && strcmp(value, GCAL_TUNE_NO_VALUE) != 0)
            gcal_buf_printf(&name, "%s%s:%s", name.size ? " " : "", p->name, value);
    }
    config->name = gcal_buf_take(&name, err);
    return config->name ? 0 : -1;
}

static int fill_config(const struct gcal_tune_space *space,
                       const struct gcal_kernel *kernel, struct gcal_tune_config *config,
                       struct gcal_error *err)
{
    config->kernel = kernel;
    if (!(config->values = calloc(space->n_parameters + 1, sizeof(*config->values))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < space->n_parameters; i++) {
        size_t length;
        const char *text = value_text(kernel, &space->parameters[i], &length);

        config->values[i] = find_value(&space->parameters[i], text, length);
    }
    return gcal_tune_name_config(space, config, err);
}

static int fill_configs(struct gcal_tune_space *space, struct gcal_error *err)
{
    const struct gcal_kernel_list *list = space->kernels;

    if (!(space->configs = calloc(list->n_kernels + 1, sizeof(*space->configs))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < list->n_kernels; i++)
        if (fill_config(space, list->kernels[i], &space->configs[space->n_configs++],
                        err) < 0)
            return -1;
    return 0;
}

/* ---- the generator as a parameter ---- */

/* Notes in 'generators', by value, the generator of a kernel with it; false where another
 * one has the value, too, or the kernel has none.
 */
static bool note_generator(const struct gcal_kernel *kernel, const struct argument *a,
                           const char **generators)
{
    size_t length, i = 0;
    const char *text = gcal_kernel_name_argument(kernel->name, a->name, &length);

    if (!text)
        return false;
    while (strncmp(a->values.items[i], text, length) != 0 || a->values.items[i][length])
        i++;
    if (!generators[i])
        generators[i] = kernel->generator;
    return strcmp(generators[i], kernel->generator) == 0;
}

/* A parameter with values of its own for each generator makes another one needless. */
static int shows_generator(const struct gcal_kernel_list *list, const struct argument *a,
                           bool *shows, struct gcal_error *err)
{
    const char **generators = calloc(a->values.n + 1, sizeof(*generators));

    if (!generators)
        return gcal_error_memory(err);
    *shows = true;
    for (size_t i = 0; i < list->n_kernels && *shows; i++)
        *shows = note_generator(list->kernels[i], a, generators);
    free(generators);
    return 0;
}

static int add_generators(const struct gcal_kernel_list *list, struct arguments *a,
                          struct gcal_error *err)
{
    struct gcal_strings generators = { 0 };
    struct argument *kernel;
    bool shown = false;
    int rc = 0;

    for (size_t i = 0; i < list->n_kernels && rc == 0; i++)
        rc = gcal_strings_include(&generators, list->kernels[i]->generator, err);
    for (size_t i = 0; i < a->n && !shown && generators.n > 1 && rc == 0; i++)
        rc = shows_generator(list, &a->all[i], &shown, err);
    if (rc == 0 && generators.n > 1 && !shown) {
        if ((kernel = arguments_find(a, KERNEL, strlen(KERNEL), err)))
            kernel->values = generators;
        return kernel ? 0 : -1;
    }
    gcal_strings_clear(&generators);
    return rc;
}

int gcal_tune_parameters_find(struct gcal_tune_space *space,
                              const struct gcal_strings *always, struct gcal_error *err)
{
    struct arguments a = { 0 };
    int rc = collect(space->kernels, &a, err);

    if (rc == 0)
        rc = add_generators(space->kernels, &a, err);
    if (rc == 0 && !(space->parameters = calloc(a.n + 1, sizeof(*space->parameters))))
        rc = gcal_error_memory(err);
    for (size_t i = 0; i < a.n && rc == 0; i++)
        if (is_parameter(&a.all[i], always))
            take_parameter(space, &a.all[i]);
    if (rc == 0)
        rc = fill_configs(space, err);
    arguments_clear(&a);
    return rc;
}

const char *gcal_tune_value(const struct gcal_tune_space *space, size_t config,
                            size_t parameter)
{
    const struct gcal_tune_parameter *p = &space->parameters[parameter];
    const char *value = p->values[space->configs[config].values[parameter]];

    return strcmp(value, GCAL_TUNE_NO_VALUE) == 0 ? NULL : value;
}
