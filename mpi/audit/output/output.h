/* output.h - where what an audit finds goes: text, JSON, a page, metrics
 *
 * An audit gives its devices one after the other, and each to all outputs that were asked
 * for, so that an output holds no more of a large site than it needs.
 */
#ifndef GCAL_MPI_AUDIT_OUTPUT_H
#define GCAL_MPI_AUDIT_OUTPUT_H

#include <stdbool.h>

#include "calib/audit/audit.h"

struct gcal_error;

struct gcal_audit_output {
    void *context;
    /* A device, in the order of nodes; it lives until the function returns. */
    int (*device)(void *context, const struct gcal_audit_device *device,
                  struct gcal_error *err);
    /* All devices have been given: what was opened is finished and put in place. */
    int (*end)(void *context, const struct gcal_audit_summary *summary,
               struct gcal_error *err);
    /* Frees the context, also where end() was never called or failed, and then leaves
     * nothing behind that is half written.
     */
    void (*destroy)(void *context);
};

/* What an output may say besides of what it tells. */
struct gcal_audit_output_options {
    const char *store; /* the folder */
    struct gcal_audit_policy policy;
    bool all; /* --all: devices without findings, too */
};

/* Each fills 'output', which takes 'about' (it outlives the output); 0, or -1 with 'err'
 * and nothing to destroy.  'path': of the file that is replaced when the audit ends.
 */
int gcal_audit_output_text(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err);
int gcal_audit_output_json(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err);
int gcal_audit_output_prometheus(const struct gcal_audit_output_options *about,
                                 const char *path, struct gcal_audit_output *output,
                                 struct gcal_error *err);

#endif
