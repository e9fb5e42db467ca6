/* checks.h - what quick checks of a node's devices measured, in a store
 *
 *   STORE/checks/NODE.tsv
 *
 * Text; fields are separated by tabs:
 *
 *   gpucal_checks 1                                       the first line
 *   check UTC UID TYPE EPOCH CLOCK_HZ NAME:KERNEL:TIME_S[:off]..
 *
 * the oldest check first.  EPOCH is what checks must have in common to be compared, KERNEL the first
 * digits of the id of the kernel that was timed; CLOCK_HZ is nan where it is unknown; "off": it was
 * beyond its limit then.  With a key ($GPUCAL_SIGN_KEY), a line has its signature, which is of the
 * node's name as well, as a last field.  Where keys are trusted, other lines do not count.
 *
 * Checks follow each other every few minutes on each of many nodes, so they are not in the ledger:
 * whoever may write to the store can put older lines of a node back.
 */
#ifndef GCAL_STORE_CHECKS_H
#define GCAL_STORE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_store;

/* Checks of a device that are kept: the newest. */
#define GCAL_CHECKS_KEPT 40

#define GCAL_CHECKS_FOLDER "checks"
#define GCAL_CHECKS_SUFFIX ".tsv"

struct gcal_checks_time {
    const char *name, *kernel;
    double time_s;
    bool off;
};

struct gcal_checks_line {
    const char *utc, *uid, *type, *epoch;
    double clock_hz; /* NaN: unknown */
    size_t n;
    struct gcal_checks_time *times;
};

struct gcal_checks {
    size_t n, capacity;
    struct gcal_checks_line *lines; /* oldest first, of all devices of the node */
    size_t n_left_out; /* lines that are damaged, or not signed as they must be */
};

/* Those of a node, none if there is no file.  Texts are in 'arena'. */
int gcal_checks_read(struct gcal_arena *arena, const struct gcal_store *store,
                     const char *node, struct gcal_checks *checks,
                     struct gcal_error *err);

/* Whether line 'i' is the newest of its device. */
bool gcal_checks_is_newest(const struct gcal_checks *checks, size_t i);

/* Adds a check to those of the node, of which older ones of the same device may leave.  -1
 * (GCAL_ESTORE).
 */
int gcal_checks_add(const struct gcal_store *store, const char *node,
                    const struct gcal_checks_line *line, struct gcal_error *err);

/* The text of STORE/references/TYPE.tsv (calib/health/health.h), with a good signature where one is
 * required: 1 with 'text', 0 if there is none, -1.
 */
int gcal_checks_reference(struct gcal_arena *arena, const struct gcal_store *store,
                          const char *type, const char **text, struct gcal_error *err);

/* The nodes with a file, sorted; free with gcal_strings_free(). */
int gcal_checks_nodes(const struct gcal_store *store, char ***names, size_t *count,
                      struct gcal_error *err);

#endif
