/* profiles.c - counts that were made once, for all ranks of a run */
#include "mpi/ranks/profiles.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"
#include "mpi/cli/count_cache.h"

static void clear_profile(void *value)
{
    gcal_profile_destroy(*(struct gcal_profile **)value);
}

struct gcal_memo *gcal_profiles_create(struct gcal_error *err)
{
    return gcal_memo_create(sizeof(struct gcal_profile *), SIZE_MAX, clear_profile, err);
}

/* Keeps 'profile' (NULL: there is none) as a value that is new. */
static void keep(struct gcal_memo *profiles, struct gcal_profile **value,
                 struct gcal_profile *profile)
{
    if (!profile) {
        gcal_memo_give_up(profiles, value);
        return;
    }
    *value = profile;
    gcal_memo_made(profiles, value, 0);
    gcal_memo_release(profiles, value);
}

/* Without memory for it, it is counted again. */
struct gcal_profile *gcal_profiles_count(void *profiles,
                                         const struct gcal_count_request *request,
                                         struct gcal_error *err)
{
    char key[GCAL_COUNT_KEY_SIZE];
    struct gcal_profile *profile, **value = NULL;
    bool is_new = true;

    if (gcal_command_count_key(request, key))
        value = gcal_memo_take(profiles, key, &is_new);
    if (!is_new) {
        profile = gcal_profile_copy(*value, err);
        gcal_memo_release(profiles, value);
        return profile;
    }
    profile = gcal_command_count_cached(NULL, request, err);
    if (value)
        keep(profiles, value, profile ? gcal_profile_copy(profile, NULL) : NULL);
    return profile;
}

struct message {
    struct gcal_buf *buf;
    uint32_t n;
};

static void put_profile(const char *key, void *value, void *data)
{
    struct message *message = data;
    struct gcal_buf profile = { 0 };

    gcal_profile_put(&profile, *(struct gcal_profile **)value);
    gcal_wire_put_text(message->buf, key);
    gcal_wire_put_bytes(message->buf, profile.data, profile.size);
    message->buf->failed = message->buf->failed || profile.failed;
    message->n++;
    gcal_buf_free(&profile);
}

void gcal_profiles_put(struct gcal_buf *buf, struct gcal_memo *profiles)
{
    struct gcal_buf all = { 0 };
    struct message message = { .buf = &all };

    gcal_memo_visit(profiles, put_profile, &message);
    gcal_wire_put_u32(buf, message.n);
    if (all.size)
        gcal_buf_put(buf, all.data, all.size);
    buf->failed = buf->failed || all.failed;
    gcal_buf_free(&all);
}

/* Takes what one part of a message has. */
static int add_profile(struct gcal_memo *profiles, const char *key, const void *data,
                       size_t size, struct gcal_error *err)
{
    struct gcal_wire wire = gcal_wire_open(data, size);
    bool is_new;
    struct gcal_profile **value = gcal_memo_take(profiles, key, &is_new);

    if (!value)
        return gcal_error_memory(err);
    if (is_new)
        keep(profiles, value, gcal_profile_get(&wire));
    else
        gcal_memo_release(profiles, value);
    return 0;
}

int gcal_profiles_get(struct gcal_wire *wire, struct gcal_memo *profiles,
                      struct gcal_error *err)
{
    size_t n = gcal_wire_get_u32(wire), size;
    int rc = 0;

    for (size_t i = 0; i < n && !wire->bad && rc == 0; i++) {
        char *key = gcal_wire_get_text(wire);
        void *data = gcal_wire_get_bytes(wire, &size);

        if (!wire->bad && key && data)
            rc = add_profile(profiles, key, data, size, err);
        free(key);
        free(data);
    }
    return rc;
}
