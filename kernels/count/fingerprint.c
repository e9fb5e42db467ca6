/* fingerprint.c - the identity of a kernel: what is executed, in which launch
 *
 * Hashed are the kernel and all that it uses as the compiler has read them, options that
 * change the compiler's work, work-group and number of work-groups.  The names of kernel
 * and file, comments, layout and what else the file holds do not matter; nor do options
 * of counting.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
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

/* The global size in the form of a polynomial, without what is assumed of the sizes: a
 * stricter assumption is of fewer launches of the same kernel.
 */
static int put_launch(struct gcal_buf *buf, const struct gcal_count_request *r,
                      struct gcal_error *err)
{
    struct gcal_poly_context *c = gcal_poly_context_create(err);
    int rc = c ? 0 : -1;

    for (size_t d = 0; d < r->n_dims && rc == 0; d++) {
        const struct gcal_poly *global = gcal_poly_parse(c, r->global_size[d], err);

        if (global)
            gcal_buf_printf(buf, "%zu of %s\n", r->local_size[d],
                            gcal_poly_text(c, global));
        rc = global ? gcal_poly_context_check(c, err) : -1;
    }
    gcal_poly_context_destroy(c);
    return rc;
}

int gcal_count_set_fingerprint(CXCursor kernel, const struct gcal_count_request *request,
                               struct gcal_profile *profile, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    char *text = gcal_source_canonical_text(kernel, err), hash[GCAL_HASH_TEXT_SIZE];

    if (!text)
        return -1;
    gcal_buf_puts(&buf, text);
    free(text);
    put_options(&buf, request->build_options);
    if (put_launch(&buf, request, err) < 0) {
        gcal_buf_free(&buf);
        return -1;
    }
    if (!(text = gcal_buf_take(&buf, err)))
        return -1;
    gcal_hash(text, strlen(text), hash);
    free(text);
    if (!(profile->fingerprint = strndup(hash, GCAL_PROFILE_FINGERPRINT_LENGTH)))
        return gcal_error_memory(err);
    return 0;
}
