/* test_arena.c - memory that is released together */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"

static void memory_is_zero_and_aligned(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();

    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        char *memory = gcal_arena_alloc(arena, n, 3);

        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 'x', 3 * n);
    }
    assert_ptr_not_equal(gcal_arena_alloc(arena, 0, 8), gcal_arena_alloc(arena, 0, 8));
    gcal_arena_destroy(arena);
    gcal_arena_destroy(NULL);
}

static void an_array_keeps_its_items_and_new_ones_are_zero(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t capacity = 0;
    int *items = NULL;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        items = gcal_arena_grow(arena, items, i, &capacity, sizeof(*items));
        assert_int_equal(items[i], 0);
        items[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    gcal_arena_destroy(arena);
}

static void texts_are_copies(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_buf buf = { 0 };
    char text[] = "bytes";
    const char *copy = gcal_arena_strdup(arena, text);
    const char *built = gcal_arena_format(arena, "%s of %d", text, 12);

    (void)state;
    gcal_buf_puts(&buf, "a line");
    text[0] = 'B';
    assert_string_equal(copy, "bytes");
    assert_string_equal(built, "bytes of 12");
    assert_string_equal(gcal_arena_take(arena, &buf), "a line");
    assert_null(buf.data);
    assert_string_equal(gcal_arena_take(arena, &buf), "");
    gcal_arena_destroy(arena);
}

static char order[8];

static void note(void *object)
{
    strcat(order, object);
}

static void the_newest_is_released_first(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    char first[] = "1";

    (void)state;
    assert_ptr_equal(gcal_arena_own(arena, first, note), first);
    assert_null(gcal_arena_own(arena, NULL, note));
    /* Memory that is older than an object is still there when that is released. */
    gcal_arena_own(arena, gcal_arena_strdup(arena, "2"), note);
    gcal_arena_own(arena, gcal_arena_strdup(arena, "3"), note);
    gcal_arena_destroy(arena);
    assert_string_equal(order, "321");
}

/* Sanitizers report an allocation that is too large, and go on. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* The program ends; the standard error output of the child is read. */
static void no_memory_ends_the_program_with_a_message(void **state)
{
    static const size_t sizes[][2] = {
        { SIZE_MAX, 2 }, { SIZE_MAX / 2, 1 }, { SIZE_MAX, 1 }, { SIZE_MAX / 8, 8 }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char text[10000] = "";
        size_t size = 0;
        int ends[2], status = 0;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        if ((child = fork()) == 0) {
            dup2(ends[1], STDERR_FILENO);
            gcal_arena_alloc(gcal_arena_create(), sizes[i][0], sizes[i][1]);
            _exit(0);
        }
        close(ends[1]);
        for (ssize_t n = 1; n > 0; size += (size_t)n)
            n = read(ends[0], text + size, sizeof(text) - 1 - size);
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), GCAL_EINPUT);
        assert_non_null(strstr(text, "out of memory"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zero_and_aligned),
        cmocka_unit_test(an_array_keeps_its_items_and_new_ones_are_zero),
        cmocka_unit_test(texts_are_copies),
        cmocka_unit_test(the_newest_is_released_first),
        cmocka_unit_test(no_memory_ends_the_program_with_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
