/* memo.c - values by key in a tree, and in the order of their last use */
#include "kernels/base/memo.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

struct memo_entry {
    const char *key;                    /* first, to be compared; behind the value */
    struct memo_entry *earlier, *later; /* by use */
    size_t n_users, bytes;
    bool is_made; /* else a thread is at it */
    max_align_t value[];
};

struct gcal_memo {
    size_t value_size, most_bytes, bytes, n_made;
    void (*clear)(void *value);
    pthread_mutex_t lock; /* of all that follows, and of entries but for values */
    pthread_cond_t changed;
    void *tree;
    struct memo_entry *latest, *earliest;
};

static int compare_keys(const void *a, const void *b)
{
    const struct memo_entry *x = a, *y = b;

    return strcmp(x->key, y->key);
}

struct gcal_memo *gcal_memo_create(size_t value_size, size_t most_bytes,
                                   void (*clear)(void *value), struct gcal_error *err)
{
    struct gcal_memo *memo = calloc(1, sizeof(*memo));

    if (!memo) {
        gcal_error_memory(err);
        return NULL;
    }
    memo->value_size = value_size;
    memo->most_bytes = most_bytes;
    memo->clear = clear;
    pthread_mutex_init(&memo->lock, NULL);
    pthread_cond_init(&memo->changed, NULL);
    return memo;
}

static void unlink_entry(struct gcal_memo *memo, struct memo_entry *e)
{
    *(e->earlier ? &e->earlier->later : &memo->earliest) = e->later;
    *(e->later ? &e->later->earlier : &memo->latest) = e->earlier;
}

static void link_as_latest(struct gcal_memo *memo, struct memo_entry *e)
{
    e->earlier = memo->latest;
    e->later = NULL;
    *(memo->latest ? &memo->latest->later : &memo->earliest) = e;
    memo->latest = e;
}

static void remove_entry(struct gcal_memo *memo, struct memo_entry *e)
{
    tdelete(e, &memo->tree, compare_keys);
    unlink_entry(memo, e);
    memo->bytes -= e->bytes;
    memo->clear(e->value);
    free(e);
}

void gcal_memo_destroy(struct gcal_memo *memo)
{
    if (!memo)
        return;
    while (memo->latest)
        remove_entry(memo, memo->latest);
    pthread_cond_destroy(&memo->changed);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

/* Removes those that nobody uses, the earliest first, but for the latest. */
static void trim(struct gcal_memo *memo)
{
    for (struct memo_entry *e = memo->earliest, *later;
         e && e->later && memo->bytes > memo->most_bytes; e = later) {
        later = e->later;
        if (!e->n_users)
            remove_entry(memo, e);
    }
}

static struct memo_entry *find_entry(struct gcal_memo *memo, const char *key)
{
    struct memo_entry *const *found =
        tfind(&(struct memo_entry){ .key = key }, &memo->tree, compare_keys);

    return found ? *found : NULL;
}

static struct memo_entry *add_entry(struct gcal_memo *memo, const char *key)
{
    struct memo_entry *e = calloc(1, sizeof(*e) + memo->value_size + strlen(key) + 1);

    if (!e)
        return NULL;
    e->key = strcpy((char *)e->value + memo->value_size, key);
    if (!tsearch(e, &memo->tree, compare_keys)) {
        free(e);
        return NULL;
    }
    link_as_latest(memo, e);
    return e;
}

void *gcal_memo_take(struct gcal_memo *memo, const char *key, bool *is_new)
{
    struct memo_entry *e;

    pthread_mutex_lock(&memo->lock);
    while ((e = find_entry(memo, key)) && !e->is_made)
        pthread_cond_wait(&memo->changed, &memo->lock);
    *is_new = !e;
    if (e) {
        unlink_entry(memo, e);
        link_as_latest(memo, e);
    } else {
        e = add_entry(memo, key);
    }
    if (e)
        e->n_users++;
    pthread_mutex_unlock(&memo->lock);
    return e ? e->value : NULL;
}

static struct memo_entry *entry_of(void *value)
{
    return (struct memo_entry *)((char *)value - offsetof(struct memo_entry, value));
}

void gcal_memo_made(struct gcal_memo *memo, void *value, size_t bytes)
{
    struct memo_entry *e = entry_of(value);

    pthread_mutex_lock(&memo->lock);
    e->is_made = true;
    e->bytes = bytes;
    memo->bytes += bytes;
    memo->n_made++;
    trim(memo);
    pthread_cond_broadcast(&memo->changed);
    pthread_mutex_unlock(&memo->lock);
}

void gcal_memo_give_up(struct gcal_memo *memo, void *value)
{
    pthread_mutex_lock(&memo->lock);
    remove_entry(memo, entry_of(value));
    pthread_cond_broadcast(&memo->changed);
    pthread_mutex_unlock(&memo->lock);
}

void gcal_memo_release(struct gcal_memo *memo, void *value)
{
    pthread_mutex_lock(&memo->lock);
    entry_of(value)->n_users--;
    trim(memo);
    pthread_mutex_unlock(&memo->lock);
}

size_t gcal_memo_n_made(const struct gcal_memo *memo)
{
    return memo->n_made;
}

void gcal_memo_visit(struct gcal_memo *memo,
                     void (*visit)(const char *key, void *value, void *data), void *data)
{
    pthread_mutex_lock(&memo->lock);
    for (struct memo_entry *e = memo->earliest; e; e = e->later)
        if (e->is_made)
            visit(e->key, e->value, data);
    pthread_mutex_unlock(&memo->lock);
}
