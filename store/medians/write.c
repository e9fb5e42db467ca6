/* write.c - the file of a node: its new sections, and the old ones that still count */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/threads.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

#define MAX_THREADS 16

/* ---- the text of a section ---- */

static void put_section(struct gcal_buf *buf, const struct gcal_medians_section *s,
                        const struct gcal_medians_places *places)
{
    gcal_buf_puts(buf, "device");
    gcal_medians_put_fields(buf, "", gcal_medians_run_fields, s->run);
    gcal_medians_put_fields(buf, "", gcal_run_device_fields, s->device);
    gcal_medians_put_fields(buf, "", gcal_device_info_fields, &s->device->info);
    if (s->shared_error > 0)
        gcal_buf_printf(buf, "\tshared_error=%.6g", s->shared_error);
    gcal_buf_puts(buf, "\n");
    for (size_t i = 0; i < s->models.n; i++) {
        gcal_buf_puts(buf, "model\t");
        gcal_medians_put_text(buf, s->models.items[i]);
        gcal_buf_printf(buf, "\t%s\n", s->fingerprints.items[i]);
    }
    for (size_t i = 0; i < places->n_files; i++)
        gcal_buf_printf(buf, "kernels\t%s\n", places->files[i]);
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct gcal_medians_row *r = &s->rows[i];

        gcal_buf_printf(buf, "m\t%zu\t%zu\t%.17g\t%.17g\t%llu\t%llu\t%llu\t%llu\n",
                        places->place[i], r->n_samples, r->median_s, r->spread,
                        (unsigned long long)r->built.registers,
                        (unsigned long long)r->built.private_bytes,
                        (unsigned long long)r->built.work_group_size,
                        (unsigned long long)r->built.multiple);
    }
}

/* ---- old sections ---- */

/* Returns whether the new sections of the device have all models of the old one: its lines are
 * 'lines'. /
 */
static bool is_replaced(struct gcal_medians_lines lines, const char *uid,
                        const struct gcal_medians_section *sections, size_t n)
{
    const struct gcal_medians_section *same = NULL;
    bool all = true;

    for (size_t i = 0; i < n; i++)
        if (strcmp(sections[i].device->info.uid, uid) == 0)
            same = &sections[i];
    lines.words = NULL;
    lines.capacity = 0;
    while (same && gcal_medians_next(&lines, NULL) > 0 &&
           strcmp(lines.words[0], "device") != 0)
        if (strcmp(lines.words[0], "model") == 0)
            all =
                all && lines.n > 1 && gcal_strings_contain(&same->models, lines.words[1]);
    return same && all;
}

static const char *uid_of(const struct gcal_medians_lines *lines)
{
    for (size_t i = 1; i < lines->n; i++) {
        const char *uid = gcal_medians_value(lines, i, "uid");

        if (uid)
            return uid;
    }
    return "";
}

/* Copies the sections of 'text' that the new ones do not replace.  'copy' is 'text' again:
 * reading changes it.
 */
static int keep_sections(struct gcal_arena *arena, const char *text, char *copy,
                         size_t size, const struct gcal_medians_section *sections,
                         size_t n, struct gcal_buf *buf, struct gcal_error *err)
{
    struct gcal_medians_lines lines = { .arena = arena, .at = copy, .end = copy + size };
    bool keeps = false;

    while (lines.at < lines.end) {
        size_t at = (size_t)(lines.at - copy), end;

        if (gcal_medians_next(&lines, err) < 0)
            return -1;
        end = (size_t)(lines.at - copy);
        if (strcmp(lines.words[0], "device") == 0) {
            char *again =
                memcpy(gcal_arena_alloc(arena, size - end, 1), text + end, size - end);
            const struct gcal_medians_lines rest = { .arena = arena,
                                                     .at = again,
                                                     .end = again + (size - end) };

            keeps = !is_replaced(rest, uid_of(&lines), sections, n);
        }
        if (keeps)
            gcal_buf_put(buf, text + at, end - at);
    }
    return 0;
}

/* ---- the file ---- */

struct writing {
    struct gcal_store *store;
    const struct gcal_medians_section *sections;
    const struct gcal_medians_places *places;
    const size_t *first; /* of each node, and the end */
    struct gcal_medians_ledger ledger;
};

/* 'replaces': the SHA-256 of the old file, "" if there is none.  One that cannot be read is
 * replaced in any case, but not one that somebody has signed whom this publisher does not trust.
 */
static int check_key(const struct gcal_store *store, int folder, const char *shown,
                     char replaces[GCAL_HASH_TEXT_SIZE], struct gcal_error *err)
{
    char *old = NULL;
    size_t size;
    int rc = 0;

    *replaces = '\0';
    if (gcal_store_fetch(store, folder, strchr(shown, '/') + 1, shown,
                         GCAL_STORE_MAX_BYTES, &old, &size, NULL) > 0) {
        gcal_hash(old, size, replaces);
        rc = gcal_store_check_key(store, shown, old, size, err);
        if (rc == 0 && gcal_sign_check(NULL, old, size, NULL) == 0)
            rc = gcal_store_check_reuse(store, shown, old, size, err);
    }
    free(old);
    return rc;
}

/* Fills 'buf' with the sections of the node.  An old file that cannot be used is not kept: only
 * its medians are lost, until the next calibrations of their devices.
 */
static int fill(struct gcal_arena *arena, struct writing *w, int folder, const char *node,
                const struct gcal_medians_section *sections,
                const struct gcal_medians_places *places, size_t n, struct gcal_buf *buf,
                struct gcal_error *err)
{
    enum gcal_ledger_state state;
    size_t size;
    char *old;
    int rc = 0;

    if (gcal_medians_fetch(arena, &w->ledger, folder, node, &old, &size, &state, NULL) >
        0) {
        size_t skip = (size_t)(strchr(old, '\n') + 1 - old);
        char *copy =
            memcpy(gcal_arena_alloc(arena, size - skip, 1), old + skip, size - skip);

        rc = keep_sections(arena, old + skip, copy, size - skip, sections, n, buf, err);
    }
    for (size_t i = 0; i < n && rc == 0; i++)
        put_section(buf, &sections[i], &places[i]);
    return rc;
}

/* Writes the text of sections, with its hash and the store's signature.  The last section of the
 * node is of its newest run.
 */
static int publish(struct gcal_arena *arena, struct writing *w, int folder,
                   const char *shown, const char *run_id, const char *replaces,
                   struct gcal_buf *sections, struct gcal_error *err)
{
    const struct gcal_ledger_entry entry = {
        .action = "publish", .run_id = run_id, .file = shown, .replaces = replaces
    };
    size_t size = strlen(GCAL_MEDIANS_HEADER " ") + GCAL_HASH_TEXT_SIZE + sections->size;
    const char *text = gcal_arena_take(arena, sections);
    char hash[GCAL_HASH_TEXT_SIZE], sha256[GCAL_HASH_TEXT_SIZE];

    gcal_hash(text, strlen(text), hash);
    text = gcal_arena_format(arena, GCAL_MEDIANS_HEADER " %s\n%s", hash, text);
    if (w->store->key) {
        char *signature = gcal_sign(w->store->key, text, size, err);

        if (!gcal_arena_own(arena, signature, free))
            return -1;
        text = gcal_arena_format(arena, "%s%s", text, signature);
        size = strlen(text);
    }
    gcal_hash(text, size, sha256);
    if (gcal_ledger_put(w->store, folder, strchr(shown, '/') + 1, &entry, text, size,
                        err) < 0)
        return -1;
    gcal_ledger_end(w->store, run_id, shown, sha256);
    return 0;
}

static int write_node(struct gcal_arena *arena, struct writing *w, const char *node,
                      const struct gcal_medians_section *sections,
                      const struct gcal_medians_places *places, size_t n,
                      struct gcal_error *err)
{
    int lock = gcal_store_lock_node(w->store, node, err), folder = -1, rc = -1;
    const char *shown = gcal_arena_format(arena, "medians/%s.tsv", node);
    char replaces[GCAL_HASH_TEXT_SIZE];
    struct gcal_buf buf = { 0 };

    if (lock >= 0)
        folder =
            gcal_store_make_folder(w->store, w->store->dirfd, "medians", "medians", err);
    if (folder >= 0 && check_key(w->store, folder, shown, replaces, err) == 0 &&
        fill(arena, w, folder, node, sections, places, n, &buf, err) == 0)
        rc = publish(arena, w, folder, shown, sections[n - 1].run->run_id, replaces, &buf,
                     err);
    gcal_buf_free(&buf);
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    return rc;
}

/* ---- all nodes ---- */

static int write_one(void *context, size_t i, struct gcal_error *err)
{
    struct writing *w = context;
    size_t first = w->first[i];
    const char *node = w->sections[first].device->node;
    struct gcal_arena *arena = gcal_arena_create();
    int rc = gcal_store_check_name("node", node, err);

    if (rc == 0)
        rc = write_node(arena, w, node, &w->sections[first], &w->places[first],
                        w->first[i + 1] - first, err);
    gcal_arena_destroy(arena);
    return rc;
}

int gcal_medians_write(struct gcal_store *store, const struct gcal_record *record,
                       const struct gcal_medians_section *sections, size_t n,
                       struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_medians_places *places = gcal_arena_alloc(arena, n, sizeof(*places));
    size_t *first = gcal_arena_alloc(arena, n + 1, sizeof(*first)), n_nodes = 0;
    struct writing w = { store, sections, places, first, .ledger = { 0 } };
    int rc = gcal_medians_kernels_place(arena, store, record, sections, n, places, err);

    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(sections[i].device->node, sections[i - 1].device->node) != 0)
            first[n_nodes++] = i;
    if (rc == 0) {
        first[n_nodes] = n;
        gcal_medians_ledger_init(&w.ledger, store);
        rc = gcal_threads_run(n_nodes, MAX_THREADS, write_one, &w, err);
        gcal_medians_ledger_clear(&w.ledger);
    }
    gcal_arena_destroy(arena);
    return rc;
}
