/* publish_all.c - publishing many nodes in parallel */
#include <pthread.h>
#include <string.h>

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
    size_t published, failed;
    pthread_mutex_t lock;
    struct gcal_error failures; /* all of them, as far as there is room */
};

static void note_failure(struct publication *p, const struct gcal_error *why)
{
    struct gcal_error all = p->failures;

    if (p->failed++)
        gcal_error_set(&p->failures, all.code, "%s; %s", all.text, why->text);
    else
        p->failures = *why;
}

/* A node that cannot be published does not stop the others. */
static int publish(void *context, size_t i, struct gcal_error *err)
{
    struct publication *p = context;
    struct gcal_error why = { 0 };
    int rc = gcal_store_publish(p->store, &p->params[i], p->run_id, &why);

    (void)err;
    pthread_mutex_lock(&p->lock);
    if (rc < 0)
        note_failure(p, &why);
    else
        p->published++;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           size_t count, const char *run_id, size_t *published,
                           struct gcal_error *err)
{
    struct publication p = { .store = store,
                             .params = params,
                             .run_id = run_id,
                             .lock = PTHREAD_MUTEX_INITIALIZER };
    int rc = gcal_threads_run(count, MAX_THREADS, publish, &p, err);

    *published = p.published;
    if (rc == 0 && p.failed)
        return gcal_error_set(err, p.failures.code, "%s", p.failures.text);
    return rc;
}
