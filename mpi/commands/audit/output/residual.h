/* residual.h - how well the published fits of devices agree with their measurements */
#ifndef GCAL_MPI_COMMANDS_AUDIT_RESIDUAL_H
#define GCAL_MPI_COMMANDS_AUDIT_RESIDUAL_H

struct gcal_params_index;
struct gcal_store;

/* The parameter file of the last node that was asked for. */
struct gcal_audit_residuals {
    const struct gcal_store *store; /* NULL: nothing is known */
    char *node;
    struct gcal_params_index *index;
};

/* The root mean square of the relative residuals of the device's general model, or of its first
 * if it has none; NaN if they cannot be read.  Nodes follow one after the other.
 */
double gcal_audit_residual(struct gcal_audit_residuals *r, const char *node,
                           const char *uid);
void gcal_audit_residuals_clear(struct gcal_audit_residuals *r);

#endif
