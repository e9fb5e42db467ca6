/* test_contents.c - arrays of .npy files, and files that are none */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/request.h"
#include "mpi/commands/count/contents.h"
#include "tests/folder.h"

static struct gcal_arena *arena;

/* As numpy.save() writes it, with 'n' bytes of data. */
static char *write_array(const char *header, unsigned char version, size_t n,
                         const void *data)
{
    static char path[128];
    unsigned char head[12] = "\x93NUMPY";
    size_t start = version > 1 ? 12 : 10;
    FILE *f;

    snprintf(path, sizeof(path), "%s/a.npy", folder);
    assert_non_null(f = fopen(path, "wb"));
    head[6] = version;
    head[8] = (unsigned char)strlen(header);
    fwrite(head, 1, start, f);
    fwrite(header, 1, strlen(header), f);
    fwrite(data, 1, n, f);
    fclose(f);
    return path;
}

static void arrays_are_read_with_their_range(void **state)
{
    static const int32_t numbers[] = { 7, -3, 12, 5, 0, 1 };
    static const float reals[] = { 1, 2 };
    struct gcal_count_buffer b = { .argument = "x" };

    (void)state;
    for (unsigned char version = 1; version < 4; version++) {
        assert_int_equal(
            gcal_count_contents_read(
                arena,
                write_array(
                    "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
                    version, sizeof(numbers), numbers),
                &b, NULL),
            0);
        assert_string_equal(b.dtype, "int32");
        assert_int_equal(b.data_bytes, sizeof(numbers));
        assert_memory_equal(b.data, numbers, sizeof(numbers));
        assert_string_equal(b.first, "-3");
        assert_string_equal(b.last, "12");
    }
    assert_int_equal(
        gcal_count_contents_read(
            arena,
            write_array("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }\n", 1,
                        sizeof(reals), reals),
            &b, NULL),
        0);
    assert_string_equal(b.dtype, "float32");
    assert_null(b.first);
}

static void files_that_are_none_are_refused(void **state)
{
    static const char data[64];
    static const struct {
        const char *header;
        size_t bytes;
        const char *why;
    } cases[] = {
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (16,), }", 60,
          "60 bytes follow the header, and its shape has 64" },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (8,), }", 64, "damaged" },
        { "{'descr': '>i4', 'fortran_order': False, 'shape': (16,), }", 64,
          "elements of '>i4'" },
        { "{'descr': '|O', 'fortran_order': False, 'shape': (16,), }", 64,
          "elements of" },
        { "{'descr': '<c8', 'fortran_order': False, 'shape': (8,), }", 64,
          "elements of" },
        { "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (16,), }", 64,
          "elements of" },
        { "{'descr': '<i4', 'fortran_order': True, 'shape': (4, 4), }", 64,
          "Fortran order" },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (0,), }", 0,
          "not an array with elements" },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999, 99999999999), "
          "}",
          64, "not an array with elements" },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (16", 64,
          "not an array with elements" },
        { "{}", 64, "not an array with elements" },
    };
    struct gcal_count_buffer b = { .argument = "x" };
    struct gcal_error err;
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(
            gcal_count_contents_read(
                arena, write_array(cases[i].header, 1, cases[i].bytes, data), &b, &err),
            -1);
        if (!strstr(err.text, cases[i].why))
            fail_msg("%s: %s", cases[i].header, err.text);
        assert_null(b.data);
    }
    folder_write("b.npy", "rows");
    snprintf(path, sizeof(path), "%s/b.npy", folder);
    assert_int_equal(gcal_count_contents_read(arena, path, &b, &err), -1);
    assert_non_null(strstr(err.text, "not an array of numpy.save()"));
    folder_write("b.npy", "\x93NUMPY\x01");
    assert_int_equal(gcal_count_contents_read(arena, path, &b, &err), -1);
    folder_write("b.npy", "\x93NUMPY\x01\x01\x01\x01{'descr'");
    assert_int_equal(gcal_count_contents_read(arena, path, &b, &err), -1);
    assert_non_null(strstr(err.text, "ends in its header"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read_with_their_range),
        cmocka_unit_test(files_that_are_none_are_refused),
    };
    int failed;

    arena = gcal_arena_create();
    failed = cmocka_run_group_tests(tests, folder_make, folder_remove);
    gcal_arena_destroy(arena);
    return failed;
}
