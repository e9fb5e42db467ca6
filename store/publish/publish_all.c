/* publish_all.c - publishing many nodes in parallel */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "store/params/params.h"
#include "store/publish/publish.h"

/* A publication mostly waits for the disk, which serves several writers at once. */
#define MAX_THREADS 16

struct publication {
    struct gcal_store *store;
    const struct gcal_params *params;
    const char *const *run_ids;
    size_t *first; /* of each node in 'params', and the end */
    size_t published, failed;
    pthread_mutex_t lock;
    struct gcal_error failures; /* all of them, as far as there is room */
};

/* A node that cannot be published does not stop the others. */
static int publish(void *context, size_t node, struct gcal_error *err)
{
    struct publication *p = context;
    struct gcal_error why = { 0 };
    int rc = 0;

    (void)err;
    for (size_t i = p->first[node]; i < p->first[node + 1] && rc == 0; i++)
        rc = gcal_store_publish(p->store, &p->params[i], p->run_ids[i], &why);
    pthread_mutex_lock(&p->lock);
    if (rc < 0) {
        struct gcal_error all = p->failures;

        if (p->failed++)
            gcal_error_set(&p->failures, all.code, "%s; %s", all.text, why.text);
        else
            p->failures = why;
    } else
        p->published++;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static size_t find_nodes(struct publication *p, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(p->params[i].node, p->params[i - 1].node) != 0)
            p->first[n++] = i;
    p->first[n] = count;
    return n;
}

int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           const char *const *run_ids, size_t count, size_t *published,
                           struct gcal_error *err)
{
    struct publication p = { .store = store,
                             .params = params,
                             .run_ids = run_ids,
                             .first = calloc(count + 1, sizeof(*p.first)),
                             .lock = PTHREAD_MUTEX_INITIALIZER };
    int rc;

    *published = 0;
    if (!p.first)
        return gcal_error_memory(err);
    rc = gcal_threads_run(find_nodes(&p, count), MAX_THREADS, publish, &p, err);
    free(p.first);
    *published = p.published;
    if (rc == 0 && p.failed)
        return gcal_error_set(err, p.failures.code, "%s", p.failures.text);
    return rc;
}
