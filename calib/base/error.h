/* error.h - what went wrong, as plain data
 *
 * A function that can fail returns 0 or -1 (or a pointer or NULL) and takes a
 * 'struct gcal_error *' last, which may be NULL.  The first function that knows
 * what failed fills it; those above only return.
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

/* Fills 'err' (which may be NULL) and returns -1, so that callers can write
 * 'return gcal_error_set(...)'.  Text that does not fit is cut.
 */
int gcal_error_set(struct gcal_error *err, enum gcal_error_code code, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " before the text that 'err' holds already.  Returns -1. */
int gcal_error_prefix(struct gcal_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The one message for memory that ran out.  Returns -1. */
int gcal_error_memory(struct gcal_error *err);

#endif
