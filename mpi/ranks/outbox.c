/* outbox.c - a queue of messages, from several threads to one */
#include "mpi/ranks/outbox.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"

struct message {
    int tag;
    struct gcal_buf payload;
    struct message *next;
};

struct gcal_outbox {
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t filled;
    struct message *first, **end;
    bool closed;
};

struct gcal_outbox *gcal_outbox_create(void)
{
    struct gcal_outbox *box = calloc(1, sizeof(*box));

    if (!box)
        gcal_arena_out_of_memory();
    box->end = &box->first;
    pthread_mutex_init(&box->lock, NULL);
    gcal_thread_condition_init(&box->filled);
    return box;
}

static struct message *pop(struct gcal_outbox *box)
{
    struct message *message = box->first;

    if (message && !(box->first = message->next))
        box->end = &box->first;
    return message;
}

void gcal_outbox_destroy(struct gcal_outbox *box)
{
    struct message *message;

    if (!box)
        return;
    while ((message = pop(box))) {
        gcal_buf_free(&message->payload);
        free(message);
    }
    pthread_cond_destroy(&box->filled);
    pthread_mutex_destroy(&box->lock);
    free(box);
}

int gcal_outbox_put(struct gcal_outbox *box, int tag, struct gcal_buf *payload,
                    struct gcal_error *err)
{
    struct message *message = calloc(1, sizeof(*message));
    bool closed;

    if (!message || payload->failed)
        gcal_arena_out_of_memory();
    *message = (struct message){ .tag = tag, .payload = *payload };
    *payload = (struct gcal_buf){ 0 };
    pthread_mutex_lock(&box->lock);
    if (!(closed = box->closed)) {
        *box->end = message;
        box->end = &message->next;
        pthread_cond_signal(&box->filled);
    }
    pthread_mutex_unlock(&box->lock);
    if (!closed)
        return 0;
    gcal_buf_free(&message->payload);
    free(message);
    return gcal_error_set(err, GCAL_EINPUT, "rank 0 no longer answers");
}

bool gcal_outbox_take(struct gcal_outbox *box, double wait_s, int *tag,
                      struct gcal_buf *payload)
{
    struct message *message;

    pthread_mutex_lock(&box->lock);
    if (!box->first && wait_s > 0)
        gcal_thread_condition_wait(&box->filled, &box->lock, wait_s);
    message = pop(box);
    pthread_mutex_unlock(&box->lock);
    if (!message)
        return false;
    *tag = message->tag;
    *payload = message->payload;
    free(message);
    return true;
}

void gcal_outbox_close(struct gcal_outbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->closed = true;
    pthread_mutex_unlock(&box->lock);
}
