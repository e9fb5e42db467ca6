/* test_oracle_counted.c - kernels of tests/kernels/count/kernels against Oclgrind, at
 * sizes on either side of the boundaries of a count's pieces
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "tests/kernels/count/oracle/oracle.h"

#define FOLDER SOURCE_DIR "/tests/kernels/count/kernels/"

enum { MOST_BUFFERS = 3, MOST_SIZES = 2 };

struct counted_case {
    char *file, *kernel;
    const char *assume;
    char *global;
    size_t n_dims, local, n_buffers, n_sizes;
    struct gcal_size sizes[MOST_SIZES];
};

static struct counted_case cases[] = {
    { "matmul.cl", "prefetching", NULL, "n", 2, 16, 3, 1, { { "n", 48 } } },
    { "matmul.cl", "plain", NULL, "n", 2, 16, 3, 1, { { "n", 32 } } },
    { "matmul.cl", "guarded", NULL, "16*floor((n+15)/16)", 2, 16, 3, 1, { { "n", 37 } } },
    { "stencil.cl", "stencil", "n % 14 = 0", "n/14*16", 2, 16, 2, 1, { { "n", 28 } } },
    { "loops.cl", "triangular", NULL, "48", 1, 16, 2, 2, { { "n", 50 }, { "p", 3 } } },
    { "loops.cl", "triangular", NULL, "48", 1, 16, 2, 2, { { "n", 32 }, { "p", 40 } } },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { { "n", 20 }, { "p", 30 } } },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { { "n", 20 }, { "p", 13 } } },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { { "n", 20 }, { "p", 5 } } },
    { "loops.cl", "backwards", NULL, "16*floor(n/16)", 1, 16, 2, 1, { { "n", 43 } } },
    { "loops.cl", "early", NULL, "64*floor((n+63)/64)", 1, 64, 2, 1, { { "n", 101 } } },
};

/* Borrows everything but the source from the case. */
static struct gcal_kernel make_kernel(struct counted_case *t, struct gcal_arg *args)
{
    char *path = gcal_buf_format("%s%s", FOLDER, t->file);
    struct gcal_kernel k = { .name = t->kernel,
                             .generator = t->kernel,
                             .source = gcal_file_read(path, 100000, NULL, NULL),
                             .entry = t->kernel,
                             .build_options = "-DGPUCAL_TAG(t,lv)=(lv)",
                             .n_dims = t->n_dims,
                             .n_args = t->n_buffers + t->n_sizes,
                             .args = args };

    free(path);
    assert_non_null(k.source);
    for (size_t d = 0; d < t->n_dims; d++) {
        k.local_size[d] = t->local;
        k.global_size[d] = t->global;
    }
    for (size_t i = 0; i < t->n_buffers; i++)
        args[i] = (struct gcal_arg){ .name = "buffer",
                                     .kind = GCAL_ARG_BUFFER,
                                     .dtype = "float32",
                                     .value = "16384" };
    for (size_t i = 0; i < t->n_sizes; i++)
        args[t->n_buffers + i] = (struct gcal_arg){ .name = t->sizes[i].name,
                                                    .kind = GCAL_ARG_SCALAR,
                                                    .dtype = "int32",
                                                    .value = t->sizes[i].name };
    return k;
}

static void counts_what_oclgrind_sees(void **state)
{
    enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };
    static struct gcal_arg args[N_CASES][MOST_BUFFERS + MOST_SIZES];
    struct gcal_kernel kernels[N_CASES];
    struct oracle_job jobs[N_CASES];
    size_t n_failed;

    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        kernels[i] = make_kernel(&cases[i], args[i]);
        jobs[i] = (struct oracle_job){ &kernels[i], cases[i].assume, cases[i].n_sizes,
                                       cases[i].sizes };
    }
    n_failed = oracle_check(N_CASES, jobs);
    for (size_t i = 0; i < N_CASES; i++)
        free(kernels[i].source);
    assert_int_equal(n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_what_oclgrind_sees) };

    if (!oracle_is_there())
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
