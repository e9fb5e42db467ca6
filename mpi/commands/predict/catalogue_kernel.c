/* catalogue_kernel.c - a kernel of the catalogue, found by its name */
#include "mpi/commands/predict/catalogue_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/commands/predict/kernel_names.h"

bool gcal_catalogue_kernel_generator(const struct gcal_catalogue *catalogue,
                                     const char *name, struct gcal_generator_view *view)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        struct gcal_generator_view one = gcal_catalogue_view(catalogue, i);

        if (strcmp(one.name, name) == 0) {
            *view = one;
            return true;
        }
    }
    return false;
}

/* All tags of the generator, and the kernel's arguments. */
static int list_tags(const struct gcal_catalogue *catalogue, const char *name,
                     struct gcal_strings *tags, struct gcal_error *err)
{
    size_t length;
    char *generator = strndup(name, strcspn(name, " "));
    struct gcal_generator_view view = { 0 };

    if (!generator)
        return gcal_error_memory(err);
    if (!gcal_catalogue_kernel_generator(catalogue, generator, &view))
        gcal_error_set(err, GCAL_EINPUT, "the catalogue has no kernel '%s'", generator);
    free(generator);
    for (size_t i = 0; i < view.n_tags; i++)
        if (gcal_strings_add(tags, view.tags[i], err) < 0)
            return -1;
    gcal_strings_next_word(&name, &length);
    for (const char *word; (word = gcal_strings_next_word(&name, &length));)
        if (gcal_strings_take(tags, strndup(word, length), err) < 0)
            return -1;
    return view.name ? 0 : -1;
}

/* Returns whether two names differ at most in the order of their arguments. */
static bool is_same_kernel(const char *a, const char *b)
{
    const char *rest = a;
    size_t n;

    for (const char *word; (word = gcal_strings_next_word(&rest, &n));)
        if (!gcal_kernel_name_has_word(b, word, n))
            return false;
    return strlen(a) == strlen(b);
}

static struct gcal_kernel *find(const struct gcal_kernel_list *list, const char *name)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        if (is_same_kernel(list->kernels[i]->name, name))
            return list->kernels[i];
    return NULL;
}

/* Why none of the kernels has the name. */
static int not_there(const struct gcal_kernel_list *list, const char *name,
                     struct gcal_error *err)
{
    if (list->failed.n)
        return gcal_error_set(err, GCAL_EINPUT, "%s", list->failed.items[0]);
    for (int reason = 0; reason < GCAL_KERNEL_N_EXCLUSIONS; reason++)
        if (list->left_out[reason])
            return gcal_error_set(
                err, GCAL_EINPUT, "it needs %s",
                gcal_kernel_exclusion_name((enum gcal_kernel_exclusion)reason));
    return gcal_error_set(err, GCAL_EINPUT, "the catalogue has no kernel '%s'", name);
}

int gcal_catalogue_kernel_find(const struct gcal_catalogue *catalogue, const char *name,
                               const struct gcal_kernel_limits *limits,
                               struct gcal_kernel_list *list, struct gcal_kernel **kernel,
                               struct gcal_error *err)
{
    struct gcal_strings tags = { 0 };
    int rc = list_tags(catalogue, name, &tags, err);

    if (rc == 0)
        rc = gcal_catalogue_generate(catalogue, tags.n, (const char *const *)tags.items,
                                     GCAL_MATCH_SUPERSET, limits, list, err);
    gcal_strings_clear(&tags);
    if (rc == 0 && !(*kernel = find(list, name)))
        rc = not_there(list, name, err);
    return rc;
}
