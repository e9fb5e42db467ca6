/* prune.c - removing old files from the histories */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/ledger/lines.h"
#include "store/publish/private.h"

struct pruning {
    struct gcal_store *store;
    size_t keep;
    double max_age_s; /* NAN: any age */
    bool dry_run;
    size_t removed;
    struct gcal_strings *strangers; /* may be NULL */
    struct gcal_ledger_lines lines;
};

/* By the time of publication. */
static bool is_young(const struct pruning *p, int folder, const char *file)
{
    struct stat info;

    return !isnan(p->max_age_s) &&
           (fstatat(folder, file, &info, AT_SYMLINK_NOFOLLOW) < 0 ||
            difftime(time(NULL), info.st_mtime) < p->max_age_s);
}

/* Moves the files to remove to the front; returns their number. */
static size_t choose(const struct pruning *p, int folder, char **files, size_t n)
{
    size_t chosen = 0;

    for (size_t i = 0; i + p->keep < n; i++)
        if (!is_young(p, folder, strrchr(files[i], '/') + 1)) {
            char *file = files[i];

            files[i] = files[chosen];
            files[chosen++] = file;
        }
    return chosen;
}

/* With what is removed, so that the line comes after the publication whatever the clocks say;
 * a file that cannot be read is removed as well.
 */
static int log_removal(struct gcal_arena *arena, const struct pruning *p, int folder,
                       char **files, size_t n, struct gcal_error *err)
{
    struct gcal_ledger_entry *entries = gcal_arena_alloc(arena, n, sizeof(*entries));
    char(*sha256)[GCAL_HASH_TEXT_SIZE] = gcal_arena_alloc(arena, n, sizeof(*sha256));

    for (size_t i = 0; i < n; i++) {
        size_t size;
        char *text = NULL;

        if (gcal_store_fetch_params(p->store, folder, strrchr(files[i], '/') + 1,
                                    files[i], &text, &size, NULL) > 0)
            gcal_hash(text, size, sha256[i]);
        free(text);
        entries[i] = (struct gcal_ledger_entry){ .action = "prune",
                                                 .file = files[i],
                                                 .replaces = sha256[i] };
    }
    return gcal_ledger_append(p->store, entries, n, err);
}

/* The ledger first: a file that is missing without a line in it counts as damage. */
static int remove_files(struct gcal_arena *arena, struct pruning *p, int folder,
                        char **files, size_t n, struct gcal_error *err)
{
    size_t chosen = choose(p, folder, files, n);

    p->removed += chosen;
    if (p->dry_run || chosen == 0)
        return 0;
    if (log_removal(arena, p, folder, files, chosen, err) < 0)
        return -1;
    for (size_t i = 0; i < chosen; i++)
        if (unlinkat(folder, strrchr(files[i], '/') + 1, 0) < 0 && errno != ENOENT)
            return gcal_store_fail(p->store, files[i], err);
    return TEMP_FAILURE_RETRY(fsync(folder)) < 0
               ? gcal_store_fail(p->store, "history", err)
               : 0;
}

static int prune_scope(struct gcal_arena *arena, struct pruning *p, const char *scope,
                       struct gcal_error *err)
{
    const char *history = gcal_arena_own(arena, gcal_store_history_path(scope), free);
    int lock = p->dry_run ? -1 : gcal_store_lock_scope(p->store, scope, err);
    int folder = -1, rc;
    char **runs = NULL, **files;
    size_t n = 0, n_strangers = 0;

    if (!p->dry_run && lock < 0)
        return -1;
    /* "history/NODE/RUN.yaml" in the order of publication, after the strangers'. */
    if ((rc = gcal_ledger_history(&p->lines, scope, &runs, &n, &n_strangers, err)) == 0) {
        files = gcal_arena_alloc(arena, n, sizeof(*files));
        for (size_t i = 0; i < n; i++)
            files[i] = gcal_arena_format(arena, "%s/%s.yaml", history, runs[i]);
        gcal_strings_free(runs, n);
        rc = gcal_store_history_folder(p->store, scope, &folder, err);
        for (size_t i = 0; i < n_strangers && rc > 0 && p->strangers; i++)
            rc = gcal_strings_add(p->strangers, files[i], err) < 0 ? -1 : 1;
        if (rc > 0)
            rc =
                remove_files(arena, p, folder, files + n_strangers, n - n_strangers, err);
    }
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    return rc;
}

/* Whether it is none of a node or a type: theirs are folders. */
static bool is_strangers(const struct pruning *p, const char *path)
{
    struct stat info;

    return fstatat(p->store->dirfd, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           !S_ISDIR(info.st_mode);
}

/* The histories of all nodes or types. */
static int prune_all(struct pruning *p, const char *folder, const char *history,
                     struct gcal_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int fd, rc = gcal_store_folder(p->store, p->store->dirfd, history, history, &fd, err);

    if (rc > 0)
        rc = gcal_store_list(fd, "", &names, &n, err);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_arena *arena = gcal_arena_create();
        const char *path = gcal_arena_format(arena, "%s/%s", history, names[i]);

        if (!is_strangers(p, path))
            rc = prune_scope(arena, p,
                             gcal_arena_format(arena, "%s/%s", folder, names[i]), err);
        else if (p->strangers)
            rc = gcal_strings_add(p->strangers, path, err);
        gcal_arena_destroy(arena);
    }
    gcal_strings_free(names, n);
    return rc;
}

/* ---- temporary files that killed processes left ---- */

#define LEFT_AFTER_S 86400.0

/* Or any file of a folder that has none to stay: 'all'. */
static bool is_left(int folder, const char *name, double after_s, bool all)
{
    struct stat info;

    return (all || strncmp(name, ".try.", 5) == 0 || strncmp(name, ".publish", 8) == 0) &&
           fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode) && difftime(time(NULL), info.st_mtime) > after_s;
}

static void remove_left(struct pruning *p, const char *name, double after_s, bool all)
{
    struct dirent *entry;
    int folder;
    DIR *dir;

    if (gcal_store_folder(p->store, p->store->dirfd, name, name, &folder, NULL) <= 0)
        return;
    if (!(dir = fdopendir(folder))) {
        close(folder);
        return;
    }
    while ((entry = readdir(dir)))
        if (is_left(folder, entry->d_name, after_s, all)) {
            p->removed++;
            if (!p->dry_run)
                gcal_store_remove(folder, entry->d_name);
        }
    closedir(dir);
}

int gcal_store_prune(struct gcal_store *store, size_t keep, double max_age_s,
                     bool dry_run, size_t *removed, struct gcal_strings *strangers,
                     struct gcal_error *err)
{
    struct pruning p = { store,
                         keep,
                         max_age_s,
                         dry_run,
                         .strangers = strangers,
                         .lines = { .store = store } };
    static const char *const others[] = { "tracks", "medians",  "kernels",
                                          "locks",  "observed", "checks" };
    int rc = gcal_ledger_lines_refresh(&p.lines, err);

    gcal_ledger_lines_sort(&p.lines);
    for (const struct gcal_store_kind *k = gcal_store_kinds; k->folder && rc == 0; k++)
        if ((rc = prune_all(&p, k->folder, k->history, err)) == 0) {
            remove_left(&p, k->folder, LEFT_AFTER_S, false);
            remove_left(&p, k->history, LEFT_AFTER_S, false);
        }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others) && rc == 0; i++)
        remove_left(&p, others[i], LEFT_AFTER_S, false);
    gcal_ledger_lines_clear(&p.lines);
    *removed = p.removed;
    return rc;
}

int gcal_store_prune_learned(struct gcal_store *store, double older_s, bool dry_run,
                             size_t *removed, struct gcal_error *err)
{
    struct pruning p = { .store = store, .dry_run = dry_run };

    remove_left(&p, "observed", older_s, true);
    *removed += p.removed;
    return gcal_publish_forget_old(store, older_s, dry_run, removed, err);
}
