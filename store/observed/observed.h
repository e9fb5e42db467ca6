/* observed.h - times that programs took of kernels, on their way into what is learned
 *
 *   STORE/observed/HOST-PID-NUMBER.tsv
 *
 * Each process writes files of its own, which nobody else writes, by appending lines of fields
 * with tabs between them:
 *
 *   gpucal_observed 1                                      the first line
 *   profile FINGERPRINT KERNEL TEXT                        before the kernel's first time
 *   time FINGERPRINT NODE UID SIZES TIME_S UTC FILE:NUMBER
 *   taken                                                  added by the one who merges it
 *
 * TEXT is the profile, with \n, \t and \\ for line ends, tabs and backslashes; SIZES is
 * "n=1024,m=64", or "-" for none; FILE:NUMBER is of this line alone.  With a key ($GPUCAL_SIGN_KEY), a line has its signature as a
 * last field.  A process that is killed leaves whole lines, and at most one that is cut, which
 * readers skip; what it has not yet appended is lost.
 *
 * Who merges a file (calib/learn/observed.h) adds "taken" under a lock of the file that the writer holds
 * while it appends; the writer sees by the length that the file is no longer its own, and begins
 * another.  So no time is lost, and the reader needs no further lock.
 *
 * What is written is bounded: of a kernel's launches at the same sizes on a device the first eight,
 * then those whose number is a power of two, and one an hour; at most GCAL_OBSERVED_MOST_BYTES a
 * file.  A process's first launch of a kernel on a device does not count: it may build, load or wait.
 */
#ifndef GCAL_STORE_OBSERVED_H
#define GCAL_STORE_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_observer;
struct gcal_store;

#define GCAL_OBSERVED_FOLDER     "observed"
#define GCAL_OBSERVED_HEADER     "gpucal_observed 1"
#define GCAL_OBSERVED_SUFFIX     ".tsv"
#define GCAL_OBSERVED_TAKEN      "taken"
#define GCAL_OBSERVED_MOST_BYTES (4u << 20)
/* Signatures are of this line and that of the file. */
#define GCAL_OBSERVED_SIGNED GCAL_OBSERVED_HEADER " line\n"

/* A time of a launch. */
struct gcal_observation {
    const char *node, *uid, *fingerprint, *kernel;
    const char *sizes; /* "n=1024,m=64"; "" for none */
    double time_s;
    /* The text of the kernel's profile, the caller's to free; called when it is needed.  NULL with 'err'. */
    char *(*profile)(const void *context, struct gcal_error *err);
    const void *context;
};

/* Writes nothing yet; borrows 'store'.  'key_path': the secret key that signs; NULL: nothing does. */
struct gcal_observer *gcal_observer_create(const struct gcal_store *store,
                                           const char *key_path, struct gcal_error *err);
void gcal_observer_destroy(struct gcal_observer *observer);

/* 1 when the time was written, 0 when enough are known, -1 (GCAL_ESTORE when it cannot be
 * written).  From several threads at once; a child process has files of its own.
 */
int gcal_observer_add(struct gcal_observer *observer, const struct gcal_observation *time,
                      struct gcal_error *err);

/* ---- reading ---- */

/* The files there are; 'texts' are whole lines. */
struct gcal_observed_files {
    size_t n, capacity;
    struct gcal_observed_file {
        char *name, *text;
        size_t size;
    } * items;
    int lock; /* of their merging; -1: they are not taken */
};

/* Reads them; with 'take' they are the caller's from now on, to replace.  -1 also if a file cannot be
 * trusted.  Clear 'files' in any case.
 */
int gcal_observed_read(const struct gcal_store *store, bool take,
                       struct gcal_observed_files *files, struct gcal_error *err);
void gcal_observed_clear(struct gcal_observed_files *files);

/* Whether a line, without its end, may be published with the store's signature: if it has a key, or
 * trusts some, one of them has signed the line.
 */
bool gcal_observed_is_signed(const struct gcal_store *store, const char *line);

/* Removes taken files, in whose place one is left with these lines (NULL: none is). */
int gcal_observed_replace(const struct gcal_store *store,
                          const struct gcal_observed_files *files, const char *lines,
                          struct gcal_error *err);

#endif
