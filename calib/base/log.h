/* log.h - one line to stderr per event: "host rank level: text"
 *
 * For mpi/ and for long-running parts of calib/ only: the libraries below
 * report through 'struct gcal_error'.
 */
#ifndef GCAL_CALIB_BASE_LOG_H
#define GCAL_CALIB_BASE_LOG_H

enum gcal_log_level {
    GCAL_LOG_ERROR,
    GCAL_LOG_WARN,
    GCAL_LOG_INFO,
    GCAL_LOG_DEBUG,
};

/* Lines above 'level' are dropped (GCAL_LOG_INFO unless set). */
void gcal_log_set_level(enum gcal_log_level level);

/* 'who' stands at the start of every line from now on, e.g. "n1 rank 3"; it is
 * copied.  Empty at first.
 */
void gcal_log_set_who(const char *who);

/* 'call' runs before every line that is printed, e.g. to clear a progress display off the
 * terminal.  NULL: nothing.
 */
void gcal_log_set_hook(void (*call)(void *context), void *context);

void gcal_log(enum gcal_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
