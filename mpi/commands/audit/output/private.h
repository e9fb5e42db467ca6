/* private.h - parts of an audit as JSON, of which the page has its own selection */
#ifndef GCAL_MPI_COMMANDS_AUDIT_OUTPUT_PRIVATE_H
#define GCAL_MPI_COMMANDS_AUDIT_OUTPUT_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>

#include "calib/audit/audit.h"

/* Text with what is not UTF-8 replaced. */
json_t *gcal_audit_json_text(const char *text);
/* What a device is, its verdict and its findings. */
json_t *gcal_audit_json_device(const struct gcal_audit_device *device);
json_t *gcal_audit_json_runs(const struct gcal_audit_device *device);
/* The histories of its parameters; not 'all': of those that are suspect or worse. */
json_t *gcal_audit_json_series(const struct gcal_audit_device *device, bool all);
json_t *gcal_audit_json_policy(const struct gcal_audit_policy *policy);
json_t *gcal_audit_json_summary(const struct gcal_audit_summary *summary);

#endif
