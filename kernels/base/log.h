/* log.h - one line on stderr per event: "gpucal: HOST RANK LEVEL: TEXT"
 *
 * For mpi/ and the long-running parts of calib/ only: other libraries report through
 * 'struct gcal_error'.
 */
#ifndef GCAL_KERNELS_BASE_LOG_H
#define GCAL_KERNELS_BASE_LOG_H

enum gcal_log_level {
    GCAL_LOG_ERROR,
    GCAL_LOG_WARN,
    GCAL_LOG_INFO,
    GCAL_LOG_DEBUG,
};

/* Drops lines above 'level'.  Default: GCAL_LOG_INFO. */
void gcal_log_set_level(enum gcal_log_level level);

/* Puts a copy of 'who' at the start of every line, e.g. "n1 rank 3".  Default: empty. */
void gcal_log_set_who(const char *who);

/* Calls 'call' before every printed line, e.g. to clear a progress display.  NULL: none. */
void gcal_log_set_hook(void (*call)(void *context), void *context);

void gcal_log(enum gcal_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
