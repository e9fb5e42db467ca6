/* entry.c - the catalogue entry of a learned kernel, in memory and kept */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/commands/learn/private.h"

/* The entry with what is known so far, beside the built-in kernels. */
int gcal_learn_open_catalogue(struct gcal_learning *l, struct gcal_error *err)
{
    gcal_catalogue_close(l->catalogue);
    l->catalogue = NULL;
    gcal_catalogue_files_clear(&l->files);
    if (gcal_own_kernel_describe(&l->own, &l->description, &l->files, err) < 0)
        return -1;
    l->catalogue = gcal_catalogue_open_with(&l->files, err);
    return l->catalogue ? 0 : -1;
}

static bool has_component(const struct gcal_profile *profile, enum gcal_kernel_form form)
{
    enum gcal_feature_kind kind =
        form == GCAL_KERNEL_MEMORY ? GCAL_FEATURE_MEMORY : GCAL_FEATURE_ONCHIP;

    for (size_t i = 0; i < profile->n_entries; i++)
        if (profile->entries[i].kind == kind)
            return true;
    return false;
}

/* Components that cannot be derived are left out, and named. */
int gcal_learn_find_components(struct gcal_learning *l, struct gcal_error *err)
{
    static const enum gcal_kernel_form forms[] = { GCAL_KERNEL_MEMORY,
                                                   GCAL_KERNEL_ONCHIP };

    for (size_t i = 0; i < 2; i++)
        l->description.derived[forms[i]] = has_component(l->own.profile, forms[i]);
    if (gcal_learn_open_catalogue(l, err) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        if (!l->description.derived[forms[i]])
            continue;
        struct gcal_kernel_list list = { 0 };
        struct gcal_error why = { 0 };

        if (gcal_own_kernel_generate(&l->own, l->catalogue, forms[i], l->own.check, NULL,
                                     &list, &why) < 0) {
            l->description.derived[forms[i]] = false;
            gcal_log(GCAL_LOG_WARN, "no %s component: %s",
                     gcal_kernel_form_name(forms[i]), why.text);
        }
        gcal_kernel_list_clear(&list);
    }
    return gcal_learn_open_catalogue(l, err);
}

int gcal_learn_keep_entry(const struct gcal_learning *l, struct gcal_error *err)
{
    const char *folder = l->c->keep;

    if (!folder)
        return 0;
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return gcal_error_set(err, GCAL_EINPUT, "cannot create folder %s: %s", folder,
                              strerror(errno));
    for (size_t i = 0; i < l->files.n; i++) {
        const struct gcal_catalogue_file *file = &l->files.items[i];

        if (gcal_command_write(gcal_arena_format(l->arena, "%s/%s", folder, file->name),
                               file->text, err) < 0)
            return -1;
    }
    return 0;
}
