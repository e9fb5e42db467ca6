/* catalogue.c - the catalogue of a command: its folders, opened together */
#include "mpi/cli/catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "calib/config/config.h"
#include "mpi/cli/count_cache.h"
#include "store/record/record.h"

/* ---- the option ---- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key != 'C')
        return ARGP_ERR_UNKNOWN;
    gcal_option_list_add(state->input, arg);
    return 0;
}

static const struct argp_option rows[] = {
    { "catalogue", 'C', "DIR", 0,
      "Use the measurement kernels of this folder beside the built-in ones; may be "
      "repeated ($GPUCAL_CATALOGUE and 'catalogue' of the configuration name more)",
      0 },
    { 0 },
};
const struct argp gcal_option_catalogue = { .options = rows, .parser = parse };

/* ---- the folders ---- */

/* The folders to read, and what was read of them. */
struct reading {
    struct gcal_strings paths; /* real ones */
    struct gcal_catalogue_files files;
};

/* Reads a folder, unless it was read under this or another name. */
static int read_folder(struct reading *r, const char *folder, struct gcal_error *err)
{
    char *path = realpath(folder, NULL);
    bool known = path && gcal_strings_contain(&r->paths, path);

    if (known) {
        free(path);
        return 0;
    }
    /* Without a real path, reading says why. */
    if (path && gcal_strings_take(&r->paths, path, err) < 0)
        return -1;
    return gcal_catalogue_read_folder(folder, &r->files, err);
}

static int read_environment(struct reading *r, struct gcal_error *err)
{
    const char *value = getenv("GPUCAL_CATALOGUE");
    char *folders = strdup(value ? value : ""), *rest = folders, *folder;
    int rc = 0;

    if (!folders)
        return gcal_error_memory(err);
    while (rc == 0 && (folder = strsep(&rest, ":")))
        if (*folder && read_folder(r, folder, err) < 0)
            rc = gcal_error_prefix(err, "$GPUCAL_CATALOGUE");
    free(folders);
    return rc;
}

static int read_folders(struct reading *r,
                        const struct gcal_command_catalogue_sources *from,
                        struct gcal_error *err)
{
    for (size_t i = 0; from->config && i < from->config->n_catalogues; i++) {
        const char *folder = from->config->catalogues[i];

        /* A record may be fitted where its configuration's folders are not. */
        if (from->records[0] && access(folder, F_OK) < 0 && errno == ENOENT)
            continue;
        if (read_folder(r, folder, err) < 0)
            return gcal_error_prefix(err, "catalogue of %s", from->config->file);
    }
    if (read_environment(r, err) < 0)
        return -1;
    for (size_t i = 0; from->folders && i < from->folders->n; i++)
        if (read_folder(r, from->folders->items[i], err) < 0)
            return -1;
    return 0;
}

/* Appends the files of 'more' that 'all' does not have. */
static int add_new(struct gcal_catalogue_files *all,
                   const struct gcal_catalogue_files *more, struct gcal_error *err)
{
    size_t n_before = all->n;

    for (size_t i = 0; i < more->n; i++) {
        const struct gcal_catalogue_files before = { .n = n_before, .items = all->items };
        const struct gcal_catalogue_file *f = &more->items[i];

        /* Descriptions of several folders may share the name of their source. */
        const char *dot = strrchr(f->name, '.');
        bool description = dot && strcmp(dot, ".yaml") == 0;
        if (!gcal_catalogue_files_find(&before, description ? NULL : f->folder,
                                       f->name) &&
            gcal_catalogue_files_add(all, f->folder, f->name, f->text, err) < 0)
            return -1;
    }
    return 0;
}

struct gcal_catalogue *
gcal_command_catalogue_open(const struct gcal_command_catalogue_sources *from,
                            struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = NULL;
    struct gcal_catalogue_files all = { 0 };
    struct reading r = { 0 };
    int rc = read_folders(&r, from, err);

    for (size_t i = 0; rc == 0 && i < 2 && from->records[i]; i++)
        rc = add_new(&all, &from->records[i]->header->catalogue_files, err);
    if (rc == 0 && add_new(&all, &r.files, err) == 0)
        catalogue = gcal_catalogue_open_with(&all, err);
    if (catalogue)
        gcal_catalogue_count_by(catalogue, gcal_command_count_cached, NULL);
    gcal_catalogue_files_clear(&all);
    gcal_strings_clear(&r.paths);
    gcal_catalogue_files_clear(&r.files);
    return catalogue;
}

struct gcal_catalogue *
gcal_command_catalogue_open_for(const struct gcal_option_list *folders,
                                const char *config_file, struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    const struct gcal_command_catalogue_sources from = { .folders = folders,
                                                         .config = &config };
    struct gcal_catalogue *catalogue = NULL;

    if (!config_file || gcal_config_read_settings(config_file, &config, err) == 0)
        catalogue = gcal_command_catalogue_open(&from, err);
    gcal_config_clear(&config);
    return catalogue;
}

/* ---- what was left out ---- */

int gcal_command_catalogue_report(const struct gcal_kernel_list *list,
                                  struct gcal_error *err)
{
    if (gcal_kernel_list_check(list, err) < 0)
        return -1;
    for (size_t i = 0; i < list->failed.n; i++)
        gcal_log(GCAL_LOG_WARN, "left out: %s", list->failed.items[i]);
    return (int)list->failed.n;
}
