/* fingerprint.c - the identity of a kernel: what is executed, in which launch
 *
 * Hashed are the kernel and all that it uses as the compiler has read them, options that
 * change the compiler's work, work-group and number of work-groups.  The names of kernel
 * and file, comments, layout and what else the file holds do not matter; nor do options
 * of counting.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/hash.h"
#include "kernels/count/private.h"

/* Options of OpenCL such as -cl-fast-relaxed-math, in the order given; macros are in the
 * text.
 */
static void put_options(struct gcal_buf *buf, const char *options)
{
    while (options && *options) {
        size_t length = strcspn(options, " \t");

        if (strncmp(options, "-cl-", 4) == 0 && strncmp(options, "-cl-std", 7) != 0)
            gcal_buf_printf(buf, "%.*s\n", (int)length, options);
        options += length;
        options += strspn(options, " \t");
    }
}

static void put_launch(struct gcal_buf *buf, const struct gcal_profile *profile)
{
    for (size_t d = 0; d < profile->n_dims; d++)
        gcal_buf_printf(buf, "%zu x %s\n", profile->local_size[d],
                        profile->groups[d] ? profile->groups[d] : "?");
}

int gcal_count_set_fingerprint(CXCursor kernel, const char *build_options,
                               struct gcal_profile *profile, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    char *text = gcal_source_canonical_text(kernel, err), hash[GCAL_HASH_TEXT_SIZE];

    if (!text)
        return -1;
    gcal_buf_puts(&buf, text);
    put_options(&buf, build_options);
    put_launch(&buf, profile);
    free(text);
    if (!(text = gcal_buf_take(&buf, err)))
        return -1;
    gcal_hash(text, strlen(text), hash);
    free(text);
    if (!(profile->fingerprint = strndup(hash, GCAL_PROFILE_FINGERPRINT_LENGTH)))
        return gcal_error_memory(err);
    return 0;
}
