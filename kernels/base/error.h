/* error.h - exit status and message of a failure
 *
 * A function that can fail returns 0 or -1 (or a pointer or NULL) and takes a
 * 'struct gcal_error *' last, which may be NULL.  The first function that knows
 * what failed fills it; its callers only return.
 */
#ifndef GCAL_KERNELS_BASE_ERROR_H
#define GCAL_KERNELS_BASE_ERROR_H

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

/* Why, for programs that act on it (libgpucal's gpucal.h has the same numbers). */
enum gcal_error_reason {
    GCAL_REASON_OTHER = 0,
    GCAL_REASON_MEMORY = 1,  /* out of memory */
    GCAL_REASON_STORE = 2,   /* no store, or not one to be trusted */
    GCAL_REASON_NODE = 3,    /* the node is not calibrated */
    GCAL_REASON_FILE = 4,    /* a file that is damaged, too new, or not to be trusted */
    GCAL_REASON_DEVICE = 5,  /* no such device, or several */
    GCAL_REASON_MODEL = 6,   /* no such model, or none for the kernel */
    GCAL_REASON_PROFILE = 7, /* not a profile, or one that the model cannot use */
    GCAL_REASON_SIZES = 8,   /* sizes that the profile does not hold for */
    GCAL_REASON_NOT_COVERED = 9, /* too much work without a cost */
    GCAL_REASON_UNCERTAIN = 10,  /* parameters that are too uncertain */
    GCAL_REASON_LIMITS = 11,     /* limits that cannot be met */
    GCAL_REASON_FRONT_END = 12,  /* the front end for OpenCL C is missing */
    GCAL_REASON_SOURCE = 13,     /* source that does not parse or cannot be counted */
    GCAL_REASON_CANNOT_RUN = 14, /* a launch beyond the limits of the device */
};

struct gcal_error {
    enum gcal_error_code code;
    enum gcal_error_reason reason;
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

/* The arguments of "%.*s%s" for a long name in a message: '...' follows what is cut. */
#define GCAL_ERROR_CUT(name, most)                                                       \
    (int)(strlen(name) > (most) ? (most)-3 : (most)), (name),                            \
        strlen(name) > (most) ? "..." : ""

/* Fills 'err' (which may be NULL) and returns -1, so that callers can write
 * 'return gcal_error_set(err, code, "format", ...)'.  Text that does not fit is cut.  A
 * macro, so that a static analyser sees the -1 at every call.
 */
#define gcal_error_set(err, code, ...)                                                   \
    (gcal_error_format((err), (code), __VA_ARGS__), gcal_error_status())

/* Says why, if nobody has; 'err' may be NULL.  Returns -1. */
int gcal_error_because(struct gcal_error *err, enum gcal_error_reason reason);

/* Both in one number: the code in the low byte, the reason above. */
static inline int gcal_error_detail(const struct gcal_error *err)
{
    return (int)err->code | (int)err->reason << 8;
}

/* gcal_error_prefix(err, "format", ...): puts "format: " before the text of 'err'.
 * Returns -1.
 */
#define gcal_error_prefix(err, ...)                                                      \
    (gcal_error_format_prefix((err), __VA_ARGS__), gcal_error_status())

/* The message for exhausted memory.  Returns -1. */
static inline int gcal_error_memory(struct gcal_error *err)
{
    gcal_error_set(err, GCAL_EINPUT, "out of memory");
    return gcal_error_because(err, GCAL_REASON_MEMORY);
}

#endif
