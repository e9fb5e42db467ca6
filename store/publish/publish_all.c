/* publish_all.c - publishing many nodes in parallel */
#include "calib/base/error.h"
#include "calib/base/threads.h"
#include "store/params/params.h"
#include "store/publish/publish.h"

/* A publication mostly waits for the disk, which serves several writers at once. */
#define MAX_THREADS 16

struct publication {
    struct gcal_store *store;
    const struct gcal_params *params;
    const char *run_id;
    size_t published;
};

static int publish(void *context, size_t i, struct gcal_error *err)
{
    struct publication *p = context;

    if (gcal_store_publish(p->store, &p->params[i], p->run_id, err) < 0)
        return -1;
    __atomic_add_fetch(&p->published, 1, __ATOMIC_RELAXED);
    return 0;
}

int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           size_t count, const char *run_id, size_t *published,
                           struct gcal_error *err)
{
    struct publication p = { .store = store, .params = params, .run_id = run_id };
    int rc = gcal_threads_run(count, MAX_THREADS, publish, &p, err);

    *published = p.published;
    return rc;
}
