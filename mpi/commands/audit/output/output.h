/* output.h - outputs of an audit: text, JSON and metrics here, a page in mpi/commands/audit/page
 *
 * An audit passes its devices one after the other, each to all outputs, so that an output
 * holds no more of a large site than it needs.
 */
#ifndef GCAL_MPI_COMMANDS_AUDIT_OUTPUT_H
#define GCAL_MPI_COMMANDS_AUDIT_OUTPUT_H

#include <stdbool.h>

#include "calib/audit/audit.h"

struct gcal_error;

struct gcal_audit_output {
    void *context;
    /* A device, in the order of nodes; it lives until the function returns. */
    int (*device)(void *context, const struct gcal_audit_device *device,
                  struct gcal_error *err);
    /* After all devices, of each type with a history: 'fits' has its device.  NULL: the output has
     * no types.
     */
    int (*type)(void *context, const struct gcal_audit_fits *fits,
                struct gcal_error *err);
    /* At the end: completes what was opened and puts it in place. */
    int (*end)(void *context, const struct gcal_audit_summary *summary,
               struct gcal_error *err);
    /* Frees the context.  If end() failed or was not called, no partial file remains. */
    void (*destroy)(void *context);
};

/* Options of all outputs. */
struct gcal_audit_output_options {
    const char *store; /* the folder */
    const struct gcal_store
        *files; /* the same, open; NULL: no parameter files are read */
    struct gcal_audit_policy policy;
    bool all;        /* --all: devices without findings as well */
    bool parameters; /* --parameters: metrics of all parameters as well */
};

/* Each fills 'output', which refers to 'about'; -1 with 'err' and nothing to destroy.
 * 'path': the file, which is replaced when the audit ends.
 */
int gcal_audit_output_text(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err);
int gcal_audit_output_json(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err);
int gcal_audit_output_prometheus(const struct gcal_audit_output_options *about,
                                 const char *path, struct gcal_audit_output *output,
                                 struct gcal_error *err);

#endif
