/* catalogue_pick.c - see catalogue_pick.h */
#include "tests/kernels/generate/catalogue_pick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/folder.h"

struct gcal_error err;

struct gcal_kernel_list catalogue_pick(const struct gcal_catalogue *catalogue,
                                       enum gcal_match match, const char *const *tags)
{
    struct gcal_kernel_list list = { 0 };
    size_t n = 0;

    while (tags[n])
        n++;
    if (gcal_catalogue_generate(catalogue, n, tags, match, NULL, &list, &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

void expect_number(const struct gcal_catalogue *catalogue, const char *const *tags,
                   size_t n_kernels)
{
    struct gcal_kernel_list list = catalogue_pick(catalogue, GCAL_MATCH_SUPERSET, tags);

    assert_int_equal(list.n_kernels, n_kernels);
    assert_int_equal(list.failed.n, 0);
    gcal_kernel_list_clear(&list);
}

void expect_refused(const struct gcal_catalogue *catalogue, enum gcal_match match,
                    const char *tag, const char *tag2, const char *words)
{
    const char *tags[] = { tag, tag2 };
    struct gcal_kernel_list list = { 0 };
    size_t n = tag2 ? 2 : 1;

    err.text[0] = '\0';
    assert_int_equal(gcal_catalogue_check(catalogue, n, tags, match, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_true(gcal_catalogue_generate(catalogue, n, tags, match, NULL, &list, &err) <
                    0 ||
                gcal_kernel_list_check(&list, &err) < 0);
    gcal_kernel_list_clear(&list);
}

int catalogue_folder_make(void **state)
{
    if (folder_make(state) < 0)
        return -1;
    folder_write("k.cl", "__kernel void k(__global float *x, int n)\n"
                         "{\n    x[get_global_id(0)] = (float)n;\n}\n");
    return 0;
}

struct gcal_catalogue *catalogue_open_one(const char *text)
{
    struct gcal_catalogue *catalogue;

    folder_write("one.yaml", text);
    if (!(catalogue = gcal_catalogue_open(folder, &err)))
        fail_msg("%s", err.text);
    return catalogue;
}
