/* derived.c - what is derived from a model, made once and kept with it */
#include "store/params/derived.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "store/params/params.h"

struct gcal_params_derived {
    pthread_mutex_t lock;
    void *made; /* NULL: not yet */
    void (*release)(void *made);
};

struct gcal_params_derived *gcal_params_derived_create(struct gcal_error *err)
{
    struct gcal_params_derived *derived = calloc(1, sizeof(*derived));

    if (derived)
        pthread_mutex_init(&derived->lock, NULL);
    else
        gcal_error_memory(err);
    return derived;
}

void gcal_params_derived_destroy(struct gcal_params_derived *derived)
{
    if (!derived)
        return;
    if (derived->made)
        derived->release(derived->made);
    pthread_mutex_destroy(&derived->lock);
    free(derived);
}

void *gcal_params_derive(const struct gcal_params_model *model,
                         const struct gcal_params_derivation *d, struct gcal_error *err)
{
    struct gcal_params_derived *derived = model->derived;
    void *made;

    if (!derived)
        return d->make(model, err);
    pthread_mutex_lock(&derived->lock);
    if (!derived->made && (derived->made = d->make(model, err)))
        derived->release = d->release;
    if ((made = derived->made))
        d->hold(made);
    pthread_mutex_unlock(&derived->lock);
    return made;
}
