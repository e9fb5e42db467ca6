/* page.h - an audit as one file of HTML, without scripts and links to elsewhere
 *
 * Its texts and its style are the files of assets/, whose values the C files fill in; its
 * plots are drawn by gnuplot.
 */
#ifndef GCAL_MPI_COMMANDS_AUDIT_PAGE_H
#define GCAL_MPI_COMMANDS_AUDIT_PAGE_H

#include "mpi/commands/audit/output/output.h"

/* An output (see output.h) that writes to 'path' when the audit ends.  Fails where
 * gnuplot cannot be run.
 */
int gcal_audit_output_html(const struct gcal_audit_output_options *about,
                           const char *path, struct gcal_audit_output *output,
                           struct gcal_error *err);

#endif
