/* syscalls.h - the calls by which a publisher changes a store: recorded, made to fail, or
 * replayed as far as a crash of the machine would have left them
 *
 * The functions of the C library are replaced in the test's own process.  fsync() waits for
 * nothing: what it makes durable is computed.
 */
#ifndef GCAL_TESTS_STORE_SYSCALLS_H
#define GCAL_TESTS_STORE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- failing ---- */

struct syscalls_failure {
    size_t at;    /* the call that fails, from 1 on; 0: none */
    int code;     /* errno; 0: a write of half the bytes */
    bool for_all; /* and all calls after it */
};

/* From now on; counts calls from 0. */
void syscalls_fail(const struct syscalls_failure *failure);
/* Ends that; the number of calls since. */
size_t syscalls_stop(void);

/* ---- recording and crashing ---- */

/* Reads the files below 'folder', and records what changes them from now on. */
void syscalls_record(const char *folder);
/* The number of changes. */
size_t syscalls_recorded(void);

enum syscalls_loss {
    SYSCALLS_KEPT,   /* all changes before the crash are on disk */
    SYSCALLS_LOST,   /* none that no fsync() covers */
    SYSCALLS_EMPTY,  /* renames and new names, but no bytes */
    SYSCALLS_HALVED, /* half of the bytes of each write */
    SYSCALLS_ZEROED, /* zeros instead of bytes */
    SYSCALLS_BYTES,  /* bytes, but no names */
    SYSCALLS_LATE,   /* only the last of them, which came before the others */
    SYSCALLS_N_LOSSES,
};

/* Makes 'folder' as it is after a crash between changes 'n'-1 and 'n'.  False: as it would be
 * with SYSCALLS_KEPT, as nothing is open to loss; then it is not made.
 */
bool syscalls_crash(size_t n, enum syscalls_loss loss, const char *folder);
/* The recorded folder as it was at the beginning, in 'folder'. */
void syscalls_restore(const char *folder);
void syscalls_forget(void);

#endif
