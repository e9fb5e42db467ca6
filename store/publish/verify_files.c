/* verify_files.c - hashes and signatures of the files of a node or type */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/publish/private.h"

static void check_signature(struct gcal_verify_state *state, const char *shown,
                            const char *text, size_t size)
{
    const struct gcal_store *store = state->store;
    struct gcal_error err = { 0 };
    bool is_signed = gcal_sign_find(text, size) < size;

    if (!is_signed && !store->trusted)
        return;
    if (gcal_sign_check(store->trusted, text, size, &err) < 0)
        gcal_verify_report_damaged(state, "%s: %s", shown, err.text);
    else
        state->result->n_signed++;
}

/* 'sha256': "" when there is no file.  False when it cannot be read. */
static bool hash_file(struct gcal_verify_state *state, int folder, const char *file,
                      const char *shown, char sha256[GCAL_HASH_TEXT_SIZE])
{
    struct gcal_error err = { 0 };
    size_t size;
    char *text;
    int rc =
        gcal_store_fetch_params(state->store, folder, file, shown, &text, &size, &err);

    *sha256 = '\0';
    if (rc < 0)
        gcal_verify_report_damaged(state, "%s", err.text);
    if (rc > 0) {
        state->result->n_files++;
        gcal_hash(text, size, sha256);
        check_signature(state, shown, text, size);
    }
    free(text);
    return rc >= 0;
}

int gcal_verify_folder(struct gcal_verify_state *state, const char *name)
{
    struct gcal_error err = { 0 };
    int fd;

    if (gcal_store_folder(state->store, state->store->dirfd, name, name, &fd, &err) >= 0)
        return fd;
    gcal_verify_report_damaged(state, "%s", err.text);
    return -2;
}

static void find_current(struct gcal_verify_state *state, struct gcal_verify_files *f)
{
    int folder = gcal_verify_folder(state, f->folder);

    f->unreadable = folder == -2;
    if (folder < 0)
        return;
    f->unreadable =
        !hash_file(state, folder, f->file + strlen(f->folder) + 1, f->file, f->sha256);
    close(folder);
}

static int hash_runs(struct gcal_verify_state *state, struct gcal_verify_files *f,
                     int folder, struct gcal_error *err)
{
    f->run_sha256 = calloc(f->n_runs + 1, sizeof(*f->run_sha256));
    if (!f->run_sha256)
        return gcal_error_memory(err);
    for (size_t i = 0; i < f->n_runs; i++) {
        char *shown = gcal_buf_format("%s/%s.yaml", f->history, f->runs[i]);

        if (!shown)
            return gcal_error_memory(err);
        hash_file(state, folder, strrchr(shown, '/') + 1, shown, f->run_sha256[i]);
        free(shown);
    }
    return 0;
}

static int find_history(struct gcal_verify_state *state, struct gcal_verify_files *f,
                        struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    int folder, again, rc;

    rc = gcal_store_history_folder(state->store, f->scope, &folder, &why);
    if (rc < 0)
        gcal_verify_report_damaged(state, "%s", why.text);
    if (rc <= 0)
        return 0;
    again = dup(folder);
    if (again < 0) {
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %s", f->history, strerror(errno));
    } else {
        rc = gcal_store_list(again, ".yaml", &f->runs, &f->n_runs, err);
        if (rc == 0)
            rc = hash_runs(state, f, folder, err);
    }
    close(folder);
    return rc;
}

int gcal_verify_files_read(struct gcal_verify_state *state, struct gcal_verify_files *f,
                           struct gcal_error *err)
{
    find_current(state, f);
    if (!gcal_store_is_type(f->scope)) {
        struct gcal_error why = { 0 };

        if (gcal_track_load_text(state->store, f->name, &f->track, &f->track_size, &why) <
            0)
            gcal_verify_report_damaged(state, "%s", why.text);
        else if (f->track)
            state->result->n_files++;
    }
    return find_history(state, f, err);
}

void gcal_verify_files_clear(struct gcal_verify_files *f)
{
    gcal_strings_free(f->runs, f->n_runs);
    free(f->run_sha256);
    free(f->track);
    free(f->scope);
    free(f->history);
    free(f->file);
}
