/* test_messages.c - messages that no rank of gpucal sends are refused */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "mpi/ranks/comm.h"
#include "mpi/ranks/root.h"

/* Its devices would take the place of the first one's, which would be leaked. */
static void a_second_hello_is_refused(void **state)
{
    struct gcal_root_peer peer = { 0 };
    struct gcal_root root = { .arena = gcal_arena_create(), .peers = &peer };
    struct gcal_comm_message hello = { .tag = GCAL_RANKS_TAG_HELLO };
    struct gcal_error err = { 0 };

    (void)state;
    gcal_wire_put_text(&hello.payload, "n0");
    gcal_wire_put_text(&hello.payload, "");
    gcal_wire_put_u32(&hello.payload, 0);
    gcal_root_take(&root, &hello, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(peer.node, "n0");
    gcal_root_take(&root, &hello, &err);
    assert_non_null(strstr(err.text, "a second HELLO"));
    gcal_arena_destroy(root.arena);
    gcal_buf_free(&hello.payload);
}

/* MPI would send the rest of 2^31. */
static void a_message_that_mpi_cannot_count_is_refused(void **state)
{
    char *arguments[] = { (char *)"test", NULL }, **argv = arguments, byte = 0;
    int argc = 1;
    struct gcal_error err = { 0 };
    struct gcal_comm *comm = gcal_comm_open(&argc, &argv, &err);
    struct gcal_buf huge = { .data = (void *)&byte, .size = (size_t)INT_MAX + 2 };

    (void)state;
    assert_non_null(comm);
    assert_int_equal(gcal_comm_send(comm, 0, GCAL_RANKS_TAG_HELLO, &huge, &err), -1);
    assert_non_null(strstr(err.text, "too long"));
    gcal_comm_close(comm, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_hello_is_refused),
        cmocka_unit_test(a_message_that_mpi_cannot_count_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
