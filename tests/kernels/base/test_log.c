/* test_log.c - a message is one line, whatever is in it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/log.h"

static void names_with_line_ends(void **state)
{
    char text[200] = "";
    int log = dup(2);
    FILE *file = tmpfile();

    (void)state;
    assert_non_null(file);
    assert_true(dup2(fileno(file), 2) == 2);
    gcal_log_set_who("n1\n rank 0");
    gcal_log(GCAL_LOG_ERROR, "node %s: %s", "n\n1", "a\tb\x1b[31m");
    dup2(log, 2);
    close(log);
    rewind(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "gpucal: n1  rank 0 error: node n 1: a b [31m\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_with_line_ends) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
