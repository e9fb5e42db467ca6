/* profiles.c - counts that were made once, for all ranks of a run */
#include "mpi/ranks/profiles.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"
#include "mpi/cli/count_cache.h"

struct entry {
    char *key;
    void *data; /* as gcal_profile_put() writes it */
    size_t size;
};

struct gcal_profiles {
    pthread_mutex_t lock;
    struct entry *entries; /* some hundred */
    size_t n, capacity;
};

struct gcal_profiles *gcal_profiles_create(struct gcal_error *err)
{
    struct gcal_profiles *p = calloc(1, sizeof(*p));

    if (!p)
        gcal_error_memory(err);
    else
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void gcal_profiles_destroy(struct gcal_profiles *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++) {
        free(p->entries[i].key);
        free(p->entries[i].data);
    }
    free(p->entries);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static const struct entry *find(const struct gcal_profiles *p, const char *key)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->entries[i].key, key) == 0)
            return &p->entries[i];
    return NULL;
}

/* Takes 'key' and 'data', also on failure. */
static int add(struct gcal_profiles *p, char *key, void *data, size_t size,
               struct gcal_error *err)
{
    bool is_known = key && find(p, key);
    struct entry *grown = NULL;

    if (!key || !data)
        gcal_error_memory(err);
    else if (!is_known)
        grown = gcal_array_grow(p->entries, p->n, &p->capacity, sizeof(*grown), err);
    if (!grown) {
        free(key);
        free(data);
        return is_known ? 0 : -1;
    }
    p->entries = grown;
    grown[p->n++] = (struct entry){ key, data, size };
    return 0;
}

static struct gcal_profile *look_up(struct gcal_profiles *p, const char *key)
{
    struct gcal_profile *profile = NULL;
    const struct entry *entry;

    pthread_mutex_lock(&p->lock);
    if ((entry = find(p, key))) {
        struct gcal_wire wire = gcal_wire_open(entry->data, entry->size);

        profile = gcal_profile_get(&wire);
    }
    pthread_mutex_unlock(&p->lock);
    return profile;
}

/* Without memory for it, it is counted again. */
static void keep(struct gcal_profiles *p, const char *key,
                 const struct gcal_profile *profile)
{
    struct gcal_buf buf = { 0 };
    size_t size;
    char *data;

    gcal_profile_put(&buf, profile);
    size = buf.size;
    if (!(data = gcal_buf_take(&buf, NULL)))
        return;
    pthread_mutex_lock(&p->lock);
    add(p, strdup(key), data, size, NULL);
    pthread_mutex_unlock(&p->lock);
}

struct gcal_profile *gcal_profiles_count(void *profiles,
                                         const struct gcal_count_request *request,
                                         struct gcal_error *err)
{
    char key[GCAL_COUNT_KEY_SIZE];
    bool has_key = gcal_command_count_key(request, key);
    struct gcal_profile *profile = has_key ? look_up(profiles, key) : NULL;

    if (!profile && (profile = gcal_command_count_cached(NULL, request, err)) && has_key)
        keep(profiles, key, profile);
    return profile;
}

void gcal_profiles_put(struct gcal_buf *buf, struct gcal_profiles *p)
{
    pthread_mutex_lock(&p->lock);
    gcal_wire_put_u32(buf, (uint32_t)p->n);
    for (size_t i = 0; i < p->n; i++) {
        gcal_wire_put_text(buf, p->entries[i].key);
        gcal_wire_put_bytes(buf, p->entries[i].data, p->entries[i].size);
    }
    pthread_mutex_unlock(&p->lock);
}

int gcal_profiles_get(struct gcal_wire *wire, struct gcal_profiles *p,
                      struct gcal_error *err)
{
    size_t n = gcal_wire_get_u32(wire);

    for (size_t i = 0; i < n && !wire->bad; i++) {
        char *key = gcal_wire_get_text(wire);
        size_t size;
        void *data = gcal_wire_get_bytes(wire, &size);

        if (wire->bad || !key || !data) {
            free(key);
            free(data);
            break;
        }
        if (add(p, key, data, size, err) < 0)
            return -1;
    }
    return 0;
}
