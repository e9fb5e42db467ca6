/* option_rows.h - the options of a command as one table */
#ifndef GCAL_MPI_CLI_OPTION_ROWS_H
#define GCAL_MPI_CLI_OPTION_ROWS_H

#include <argp.h>
#include <stddef.h>

/* An option of a command, of its own or of a child. */
struct gcal_option_row {
    const struct argp_option *option;
    const char *header; /* of its group in --help, "" if none */
};
/* All rows of the tables in their order, with descriptions (OPTION_DOC); the caller's to
 * free.  NULL: out of memory.
 */
struct gcal_option_row *gcal_option_rows(const struct argp *argp, size_t *n);

#endif
