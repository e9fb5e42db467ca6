/* catalogue_kernel.c - a kernel of the catalogue, found by its name */
#include "mpi/predict/catalogue_kernel.h"

#include <string.h>

#include "calib/base/error.h"

bool gcal_catalogue_kernel_generator(const struct gcal_catalogue *catalogue,
                                     const char *name, struct gcal_generator_view *view)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        *view = gcal_catalogue_view(catalogue, i);
        if (strcmp(view->name, name) == 0)
            return true;
    }
    return false;
}

/* The words of a kernel's name are the tags that select it. */
static int split(const char *name, struct gcal_strings *tags, struct gcal_error *err)
{
    size_t length;

    for (const char *word; (word = gcal_strings_next_word(&name, &length));)
        if (gcal_strings_take(tags, strndup(word, length), err) < 0)
            return -1;
    return 0;
}

static struct gcal_kernel *find(const struct gcal_kernel_list *list, const char *name)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        if (strcmp(list->kernels[i]->name, name) == 0)
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
    int rc = split(name, &tags, err);

    if (rc == 0)
        rc = gcal_catalogue_generate(catalogue, tags.n, (const char *const *)tags.items,
                                     GCAL_MATCH_SUPERSET, limits, list, err);
    gcal_strings_clear(&tags);
    if (rc == 0 && !(*kernel = find(list, name)))
        rc = not_there(list, name, err);
    return rc;
}
