/* output.h - outputs of an audit: text, JSON, metrics and a page
 *
 * An audit passes its devices one after the other, each to all outputs, so that an output
 * holds no more of a large site than it needs.
 */
#ifndef GCAL_MPI_COMMANDS_AUDIT_OUTPUT_H
#define GCAL_MPI_COMMANDS_AUDIT_OUTPUT_H

#include <stdbool.h>

#include "calib/audit/audit.h"
#include "calib/learn/observed.h"

struct gcal_arena;
struct gcal_error;

struct gcal_audit_output {
    void *context;
    /* A device, in the order of nodes; it lives until the function returns. */
    int (*device)(void *context, const struct gcal_audit_device *device,
                  struct gcal_error *err);
    /* After all devices, of each type with a history: 'fits' has its device.  NULL: the output has
     * no types.
     */
    void (*type)(void *context, const struct gcal_audit_fits *fits);
    /* At the end: completes what was opened and puts it in place.  If it failed or was not
     * called, no partial file remains once the arena is released.
     */
    int (*end)(void *context, const struct gcal_audit_summary *summary,
               struct gcal_error *err);
};

/* Options of all outputs. */
struct gcal_audit_output_options {
    const char *store; /* the folder */
    const struct gcal_store
        *files; /* the same, open; NULL: no parameter files are read */
    struct gcal_audit_policy policy;
    const struct gcal_observed *observed; /* NULL: nothing; what drifts is told */
    bool all;                             /* --all: devices without findings as well */
};

/* Outputs that refer to 'about'. */
struct gcal_audit_output
gcal_audit_output_text(struct gcal_arena *arena,
                       const struct gcal_audit_output_options *about);
struct gcal_audit_output
gcal_audit_output_json(struct gcal_arena *arena,
                       const struct gcal_audit_output_options *about);
/* Each fills 'output', or returns -1 with 'err'.  'path': the file, which is replaced when the
 * audit ends.
 */
int gcal_audit_output_prometheus(struct gcal_arena *arena,
                                 const struct gcal_audit_output_options *about,
                                 const char *path, struct gcal_audit_output *output,
                                 struct gcal_error *err);
/* One file of HTML, which holds the audit as JSON and the script that shows it. */
int gcal_audit_output_html(struct gcal_arena *arena,
                           const struct gcal_audit_output_options *about,
                           const char *path, struct gcal_audit_output *output,
                           struct gcal_error *err);

#endif
