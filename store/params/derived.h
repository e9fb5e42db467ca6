/* derived.h - what is derived from a model of a parameter file, made once and kept with it
 *
 * Parsing a model's expression takes longer than counting some kernels' work by it.  All who
 * predict by a model share what follows from the model alone; they may outlive it, so they
 * hold references.
 */
#ifndef GCAL_STORE_DERIVED_H
#define GCAL_STORE_DERIVED_H

struct gcal_error;
struct gcal_params_derived;
struct gcal_params_model;

/* Of all models there is one kind of derivation. */
struct gcal_params_derivation {
    /* With one reference, the caller's; NULL with 'err'. */
    void *(*make)(const struct gcal_params_model *model, struct gcal_error *err);
    void (*hold)(void *made);    /* one more reference */
    void (*release)(void *made); /* one less: the last one frees it */
};

/* A reference to what is derived from the model, for the caller to release.  A decoded model
 * must not change after the first call; of others, nothing is kept.  May be called from
 * several threads at once.
 */
void *gcal_params_derive(const struct gcal_params_model *model,
                         const struct gcal_params_derivation *derivation,
                         struct gcal_error *err);

/* Of a model that has nothing yet. */
struct gcal_params_derived *gcal_params_derived_create(struct gcal_error *err);
/* NULL is allowed. */
void gcal_params_derived_destroy(struct gcal_params_derived *derived);

#endif
