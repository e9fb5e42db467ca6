/* error.h - exit status and message of a failure
 *
 * A function that can fail returns 0 or -1 (or a pointer or NULL) and takes a
 * 'struct gcal_error *' last, which may be NULL.  The first function that knows
 * what failed fills it; its callers only return.
 */
#ifndef GCAL_CALIB_BASE_ERROR_H
#define GCAL_CALIB_BASE_ERROR_H

/* The values are gpucal's exit statuses. */
enum gcal_error_code {
    GCAL_OK = 0,
    GCAL_EINPUT = 1,      /* usage, bad input, or internal */
    GCAL_EDRIFT_WARN = 2, /* audit: a parameter drifted */
    GCAL_EDRIFT = 3,      /* audit: a parameter drifted beyond the limit */
    GCAL_EFIT = 4,        /* the fit was rejected */
    GCAL_EDEVICE = 5,     /* a device could not be measured */
    GCAL_ESTORE = 6,      /* the store or the record cannot be written */
};

struct gcal_error {
    enum gcal_error_code code;
    char text[1000];
};

/* The functions of the macros below; use the macros. */
void gcal_error_format(struct gcal_error *err, enum gcal_error_code code, const char *fmt,
                       ...) __attribute__((format(printf, 3, 4)));
void gcal_error_format_prefix(struct gcal_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline int gcal_error_status(void)
{
    return -1;
}

/* Fills 'err' (which may be NULL) and returns -1, so that callers can write
 * 'return gcal_error_set(err, code, "format", ...)'.  Text that does not fit is cut.  A
 * macro, so that a static analyser sees the -1 at every call.
 */
#define gcal_error_set(err, code, ...)                                                   \
    (gcal_error_format((err), (code), __VA_ARGS__), gcal_error_status())

/* gcal_error_prefix(err, "format", ...): puts "format: " before the text of 'err'.
 * Returns -1.
 */
#define gcal_error_prefix(err, ...)                                                      \
    (gcal_error_format_prefix((err), __VA_ARGS__), gcal_error_status())

/* The message for exhausted memory.  Returns -1. */
static inline int gcal_error_memory(struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "out of memory");
}

#endif
