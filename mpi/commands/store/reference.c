/* reference.c - gpucal store export-reference: what devices of a type have, over a store and others */
#include "mpi/commands/store/reference.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/sign.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"

/* A reference of a type has some 1.5 KB. */
#define MOST_BYTES (1 << 20)

GCAL_ARENA_DESTROYER(destroy_key, gcal_sign_key_destroy)
GCAL_ARENA_DESTROYER(destroy_keys, gcal_sign_keys_destroy)

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Another site's: with keys that are trusted, one of them must have signed it. */
static int read_other(struct gcal_arena *arena, const char *file,
                      struct gcal_health_reference *reference, struct gcal_error *err)
{
    const char *trusted = environment("GPUCAL_TRUSTED_KEYS");
    struct gcal_sign_keys *keys = NULL;
    size_t size;
    char *text =
        gcal_arena_own(arena, gcal_file_read(file, MOST_BYTES, &size, err), free);

    if (!text ||
        (trusted && !(keys = gcal_arena_own(arena, gcal_sign_keys_read(trusted, err),
                                            destroy_keys))))
        return -1;
    if ((trusted || gcal_sign_find(text, size) != size) &&
        gcal_sign_check(keys, text, size, err) < 0)
        return gcal_error_prefix(err, "%s", file);
    return gcal_health_reference_parse(arena, text, file, reference, err);
}

static json_t *costs_json(const struct gcal_health_reference *reference)
{
    json_t *costs = json_array();

    for (size_t i = 0; i < reference->n; i++) {
        const struct gcal_health_quantiles *q = &reference->costs[i];
        json_t *times = json_array();

        for (size_t k = 0; k < GCAL_HEALTH_QUANTILES; k++)
            json_array_append_new(times, gcal_json_number(q->time_s[k]));
        json_array_append_new(costs, json_pack("{s:s, s:s, s:i, s:o}", "resource",
                                               q->name, "kernel", q->kernel, "devices",
                                               (int)q->n, "quantiles_s", times));
    }
    return costs;
}

int gcal_command_reference(struct gcal_arena *arena, const struct gcal_store *store,
                           const char *type, const struct gcal_option_list *files,
                           json_t **results, struct gcal_error *err)
{
    const char *key_file = environment("GPUCAL_SIGN_KEY");
    struct gcal_health_reference reference, other;
    char *text;

    if (gcal_health_reference_make(arena, store, type, &reference, err) < 0)
        return -1;
    for (size_t i = 0; i < files->n; i++) {
        if (read_other(arena, files->items[i], &other, err) < 0)
            return -1;
        if (strcmp(other.type, type) != 0)
            return gcal_error_set(err, GCAL_EINPUT, "%s: it is of type '%s', not '%s'",
                                  files->items[i], other.type, type);
        gcal_health_reference_merge(arena, &reference, &other);
    }
    if (results) {
        *results = json_pack("{s:s, s:o}", "type", type, "costs", costs_json(&reference));
        return 0;
    }
    text = gcal_health_reference_text(arena, &reference);
    if (key_file) {
        struct gcal_sign_key *key =
            gcal_arena_own(arena, gcal_sign_key_read(key_file, err), destroy_key);
        char *signature =
            key ? gcal_arena_own(arena, gcal_sign(key, text, strlen(text), err), free)
                : NULL;

        if (!signature)
            return -1;
        text = gcal_arena_format(arena, "%s%s", text, signature);
    }
    return gcal_command_write(NULL, text, err);
}
