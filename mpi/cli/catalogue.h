/* catalogue.h - the catalogue of a command: the built-in kernels and a site's own
 *
 * Folders are named by --catalogue, by $GPUCAL_CATALOGUE (separated by ':') and by
 * 'catalogue' of the configuration; all of them count, each once.
 */
#ifndef GCAL_MPI_CLI_CATALOGUE_H
#define GCAL_MPI_CLI_CATALOGUE_H

#include "kernels/generate/generate.h"
#include "mpi/cli/option_list.h"

struct gcal_config;
struct gcal_error;
struct gcal_record;

/* The option --catalogue, an argp child (options.h): the input is a struct
 * gcal_option_list.
 */
extern const struct argp gcal_option_catalogue;

struct gcal_command_catalogue_sources {
    const struct gcal_option_list *folders; /* of --catalogue; NULL: none */
    const struct gcal_config *config;       /* whose 'catalogue' counts; NULL: none */
    /* Whose files count, too; NULL: none.  A file of a record takes precedence over one of
     * the same name in a folder, which may have changed since.
     */
    const struct gcal_record *records[2];
};

/* NULL with 'err' for a folder that cannot be read, an entry that is wrong, and for names
 * that two generators have.
 */
struct gcal_catalogue *
gcal_command_catalogue_open(const struct gcal_command_catalogue_sources *from,
                            struct gcal_error *err);
/* The same with the settings of a configuration file (NULL: none is given). */
struct gcal_catalogue *
gcal_command_catalogue_open_for(const struct gcal_option_list *folders,
                                const char *config_file, struct gcal_error *err);

/* Names on standard error the kernels that could not be generated, and returns their
 * number; -1 with 'err' if there are no others.
 */
int gcal_command_catalogue_report(const struct gcal_kernel_list *list,
                                  struct gcal_error *err);

#endif
