/* publish_all.c - publishing many nodes in parallel */
#include <pthread.h>
#include <string.h>

#include "calib/base/error.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"

/* A publication mostly waits for the disk, which serves several writers at once. */
#define MAX_THREADS 16

struct all {
    struct gcal_store *store;
    const struct gcal_params *params;
    size_t count, next, published;
    const char *run_id;
    pthread_mutex_t mutex; /* of the fields below */
    size_t first_failure;
    struct gcal_error error;
};

static void *publish_some(void *context)
{
    struct all *all = context;
    size_t i;

    while ((i = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED)) < all->count) {
        struct gcal_error err = { 0 };

        if (gcal_store_publish(all->store, &all->params[i], all->run_id, &err) == 0) {
            __atomic_add_fetch(&all->published, 1, __ATOMIC_RELAXED);
            continue;
        }
        pthread_mutex_lock(&all->mutex);
        if (i < all->first_failure) {
            all->first_failure = i;
            all->error = err;
        }
        pthread_mutex_unlock(&all->mutex);
    }
    return NULL;
}

int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           size_t count, const char *run_id, size_t *published,
                           struct gcal_error *err)
{
    struct all all = { .store = store,
                       .params = params,
                       .count = count,
                       .run_id = run_id,
                       .mutex = PTHREAD_MUTEX_INITIALIZER,
                       .first_failure = count };
    pthread_t threads[MAX_THREADS];
    size_t n = 0;

    /* If a thread cannot be started, the others do its work. */
    while (n + 1 < count && n < MAX_THREADS - 1 &&
           pthread_create(&threads[n], NULL, publish_some, &all) == 0)
        n++;
    publish_some(&all);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    *published = all.published;
    if (all.first_failure == count)
        return 0;
    if (err)
        *err = all.error;
    return -1;
}
