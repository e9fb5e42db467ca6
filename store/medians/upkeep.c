/* upkeep.c - whether the files are whole, and which ones nobody refers to */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

/* A file of kernels is written before the medians that refer to it. */
#define UNUSED_AFTER_S 86400.0

/* ---- what medians refer to ---- */

static const char *type_of(const struct gcal_medians_lines *lines)
{
    for (size_t i = 1; i < lines->n; i++) {
        const char *type = gcal_medians_value(lines, i, "type");

        if (type)
            return type;
    }
    return "";
}

/* Adds "TYPE.SHA256" of the files of kernels that the sections of 'text' name; changes it. */
static int add_used(struct gcal_arena *arena, char *text, size_t size,
                    struct gcal_strings *used, struct gcal_error *err)
{
    struct gcal_medians_lines lines = { .arena = arena,
                                        .at = text + strcspn(text, "\n") + 1,
                                        .end = text + size };
    const char *type = "";
    int rc = 0, got;

    while (rc == 0 && (got = gcal_medians_next(&lines, err)) != 0) {
        if (got < 0) {
            rc = -1;
        } else if (strcmp(lines.words[0], "device") == 0) {
            type = gcal_arena_strdup(arena, type_of(&lines));
        } else if (strcmp(lines.words[0], "kernels") == 0 && lines.n > 1) {
            rc = gcal_strings_add(
                used, gcal_arena_format(arena, "%s.%s", type, lines.words[1]), err);
        }
    }
    return rc;
}

/* ---- reading ---- */

struct checking {
    const struct gcal_store *store;
    int medians, kernels; /* folders, -1: there is none */
    struct gcal_medians_check *found;
    struct gcal_strings names; /* of files of kernels, without ".tsv" */
    struct gcal_strings used;
    struct gcal_medians_ledger ledger;
};

static int list(int folder, struct gcal_strings *names, struct gcal_error *err)
{
    /* Not dup(), which would go on where an earlier listing ended. */
    int again = folder < 0 ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;
    char **listed = NULL;
    size_t n = 0;

    if (folder < 0)
        return 0;
    if (again < 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
    rc = gcal_store_list(again, ".tsv", &listed, &n, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = gcal_strings_add(names, listed[i], err);
    gcal_strings_free(listed, n);
    return rc;
}

/* Files of kernels are listed before the medians are read, which name only files that were
 * there.
 */
static int checking_init(struct checking *c, const struct gcal_store *store,
                         struct gcal_medians_check *found, struct gcal_error *err)
{
    *c = (struct checking){ .store = store, .found = found };
    *found = (struct gcal_medians_check){ 0 };
    gcal_medians_ledger_init(&c->ledger, store);
    c->medians = gcal_medians_open_folder(store, "medians", err);
    c->kernels = gcal_medians_open_folder(store, "kernels", err);
    return c->medians == -2 || c->kernels == -2 ? -1 : list(c->kernels, &c->names, err);
}

static void checking_clear(struct checking *c)
{
    if (c->medians >= 0)
        close(c->medians);
    if (c->kernels >= 0)
        close(c->kernels);
    gcal_strings_clear(&c->names);
    gcal_strings_clear(&c->used);
    gcal_medians_ledger_clear(&c->ledger);
}

/* The text of the node's medians after all checks; 'why' if it is NULL, unless it is removed.
 * Its signature is checked also where none is required.
 */
static char *read_node(struct gcal_arena *arena, struct checking *c, const char *node,
                       size_t *size, enum gcal_ledger_state *state,
                       struct gcal_error *why)
{
    const char *shown = gcal_arena_format(arena, "medians/%s.tsv", node);
    char *text = NULL;
    int rc = c->medians < 0
                 ? 0
                 : gcal_store_fetch(c->store, c->medians, strchr(shown, '/') + 1, shown,
                                    GCAL_STORE_MAX_BYTES, &text, size, why);

    gcal_arena_own(arena, text, free);
    if (rc > 0 && (gcal_sign_find(text, *size) != *size || c->store->trusted)) {
        if (gcal_sign_check(c->store->trusted, text, *size, why) < 0)
            rc = gcal_error_prefix(why, "store %s: %s", c->store->path, shown);
        else
            c->found->n_signed++;
    }
    text = NULL;
    if (rc >= 0)
        gcal_medians_fetch(arena, &c->ledger, c->medians, node, &text, size, state, why);
    return text;
}

static int check_node(struct checking *c, const char *node, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    enum gcal_ledger_state state = GCAL_LEDGER_UNKNOWN;
    struct gcal_error why = { 0 };
    size_t size;
    char *text = read_node(arena, c, node, &size, &state, &why);
    int rc = 0;

    c->found->n_files += text || (why.code && state != GCAL_LEDGER_MISSING);
    if (state == GCAL_LEDGER_INTERRUPTED || state == GCAL_LEDGER_NOT_YET ||
        state == GCAL_LEDGER_RACED)
        rc = gcal_strings_take(
            &c->found->interrupted,
            gcal_buf_format("medians/%s.tsv: a change of it was interrupted; the next "
                            "calibration of the node repairs it",
                            node),
            err);
    if (text && add_used(arena, text, size, &c->used, &why) < 0)
        gcal_error_prefix(&why, "medians/%s.tsv", node);
    if (why.code && rc == 0)
        rc = gcal_strings_add(&c->found->damaged, why.text, err);
    gcal_arena_destroy(arena);
    return rc;
}

static int check_nodes(struct checking *c, struct gcal_error *err)
{
    struct gcal_ledger_lines *lines = &c->ledger.lines;
    struct gcal_strings nodes = { 0 };
    size_t length = strlen("medians/");
    int rc = list(c->medians, &nodes, err);

    /* The nodes whose medians the ledger has: their files may be gone. */
    if (rc == 0 && (rc = gcal_ledger_lines_refresh(lines, err)) == 0)
        gcal_ledger_lines_sort(lines);
    for (size_t i = 0; i < lines->n_sorted && rc == 0; i++) {
        const char *scope = lines->items[i].scope;

        if ((i == 0 || strcmp(scope, lines->items[i - 1].scope) != 0) &&
            strncmp(scope, "medians/", length) == 0 && gcal_store_is_name(scope + length))
            rc = gcal_strings_include(&nodes, scope + length, err);
    }
    for (size_t i = 0; i < nodes.n && rc == 0; i++)
        rc = check_node(c, nodes.items[i], err);
    gcal_strings_clear(&nodes);
    return rc;
}

static int check_kernels(struct checking *c, const char *name, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    char *type = gcal_arena_strdup(arena, name), *dot = strrchr(type, '.'), *text;
    struct gcal_error why = { 0 };
    size_t size;
    int rc = 0;

    c->found->n_files++;
    if (dot)
        *dot = '\0';
    if (!dot)
        rc = gcal_strings_add(&c->found->damaged,
                              "kernels: the name of a file has no hash", err);
    else if (gcal_medians_kernels_fetch(arena, c->store, c->kernels, type, dot + 1, &text,
                                        &size, &why) < 0)
        rc = gcal_strings_add(&c->found->damaged, why.text, err);
    gcal_arena_destroy(arena);
    return rc;
}

static int check_missing(struct checking *c, const char *name, struct gcal_error *err)
{
    if (gcal_strings_contain(&c->names, name) ||
        gcal_strings_contain(&c->found->missing, name))
        return 0;
    if (gcal_strings_take(
            &c->found->damaged,
            gcal_buf_format("kernels/%s.tsv is missing, which medians name: "
                            "the next calibration of their devices writes it",
                            name),
            err) < 0)
        return -1;
    return gcal_strings_add(&c->found->missing, name, err);
}

int gcal_medians_verify(const struct gcal_store *store, struct gcal_medians_check *found,
                        struct gcal_error *err)
{
    struct checking c;
    int rc = checking_init(&c, store, found, err);

    if (rc == 0)
        rc = check_nodes(&c, err);
    for (size_t i = 0; i < c.names.n && rc == 0; i++)
        rc = check_kernels(&c, c.names.items[i], err);
    gcal_strings_clear(&c.names); /* some may be new */
    if (rc == 0)
        rc = list(c.kernels, &c.names, err);
    for (size_t i = 0; i < c.used.n && rc == 0; i++)
        rc = check_missing(&c, c.used.items[i], err);
    checking_clear(&c);
    return rc;
}

void gcal_medians_check_clear(struct gcal_medians_check *found)
{
    gcal_strings_clear(&found->damaged);
    gcal_strings_clear(&found->interrupted);
    gcal_strings_clear(&found->missing);
}

/* ---- pruning ---- */

static bool is_unused(const struct checking *c, const char *name, const char *file)
{
    struct stat info;

    return !gcal_strings_contain(&c->used, name) &&
           fstatat(c->kernels, file, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           difftime(time(NULL), info.st_mtime) > UNUSED_AFTER_S;
}

static int prune_kernels(struct checking *c, const char *name, bool dry_run,
                         size_t *removed, struct gcal_error *err)
{
    char *file = gcal_buf_format("%s.tsv", name);
    int rc = 0;

    if (!file)
        return gcal_error_memory(err);
    if (is_unused(c, name, file)) {
        ++*removed;
        if (!dry_run && unlinkat(c->kernels, file, 0) < 0 && errno != ENOENT)
            rc = gcal_store_fail(c->store, "kernels", err);
    }
    free(file);
    return rc;
}

int gcal_medians_prune(struct gcal_store *store, bool dry_run, size_t *removed,
                       struct gcal_error *err)
{
    struct gcal_medians_check found;
    struct checking c;
    int rc = checking_init(&c, store, &found, err);

    if (rc == 0)
        rc = check_nodes(&c, err);
    /* What a file that cannot be read refers to is not known. */
    for (size_t i = 0; i < c.names.n && rc == 0 && !found.damaged.n; i++)
        rc = prune_kernels(&c, c.names.items[i], dry_run, removed, err);
    checking_clear(&c);
    gcal_medians_check_clear(&found);
    return rc;
}
