/* test_checks.c - checks of a node's devices: kept, signed, and read back */
#include "tests/unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/checks/checks.h"
#include "store/files/store.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"

static void add(struct gcal_store *store, const char *uid, double time_s)
{
    struct gcal_checks_time times[] = { { "memory", "abc", time_s, false },
                                        { "launch", "def", 2 * time_s, true } };
    const struct gcal_checks_line line = {
        "2026-11-28T01:02:03Z", uid, "gpu\tof\ttwo", "driver 7", NAN, 2, times
    };
    struct gcal_error err = { 0 };

    if (gcal_checks_add(store, "n1", &line, &err) < 0)
        fail_msg("%s", err.text);
}

static struct gcal_checks read_all(struct gcal_arena *arena, struct gcal_store *store)
{
    struct gcal_checks checks;
    struct gcal_error err = { 0 };

    if (gcal_checks_read(arena, store, "n1", &checks, &err) < 0)
        fail_msg("%s", err.text);
    return checks;
}

static struct gcal_store *open_store(const char *folder)
{
    struct gcal_error err = { 0 };
    struct gcal_store *store = gcal_store_open_writable(folder, &err);

    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static void keeps_the_newest_of_each_device(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_store *store = open_store(*state);
    struct gcal_checks checks;
    char **nodes;
    size_t n;

    assert_int_equal(read_all(arena, store).n, 0);
    add(store, "pci:2", 0.25);
    for (int i = 0; i < GCAL_CHECKS_KEPT + 3; i++)
        add(store, "pci:1", 1e-3 * (i + 1));
    checks = read_all(arena, store);
    assert_int_equal(checks.n, GCAL_CHECKS_KEPT + 1);
    assert_string_equal(checks.lines[0].uid, "pci:2");
    assert_string_equal(checks.lines[0].type, "gpu of two");
    assert_true(isnan(checks.lines[0].clock_hz));
    assert_true(fabs(checks.lines[1].times[0].time_s - 4e-3) < 1e-12);
    assert_false(checks.lines[1].times[0].off);
    assert_true(checks.lines[1].times[1].off);
    assert_string_equal(checks.lines[1].times[1].kernel, "def");
    assert_int_equal(gcal_checks_nodes(store, &nodes, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_string_equal(nodes[0], "n1");
    gcal_strings_free(nodes, n);
    gcal_store_close(store);
    gcal_arena_destroy(arena);
}

static void append(const char *folder, const char *text)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/checks/n1.tsv", folder);
    assert_non_null(file = fopen(path, "a"));
    fputs(text, file);
    fclose(file);
}

static void leaves_out_lines_that_are_damaged(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_store *store = open_store(*state);

    add(store, "pci:1", 1e-3);
    append(*state, "check\tutc\tpci:1\tgpu\te\tnan\tmemory:abc:-1\n"
                   "check\tutc\tpci:1\tgpu\te\tnan\tmemory:abc\n"
                   "check\tutc\tpci:1\tgpu\te\tnan\tmemory:abc:1:of\n"
                   "check\tutc\tpci:1\tgpu\n"
                   "other\n"
                   "check\tutc\tpci:1\tgpu\te\tnan\tmemory:abc:1"); /* cut */
    assert_int_equal(read_all(arena, store).n, 1);
    assert_int_equal(read_all(arena, store).n_left_out, 5);
    gcal_store_close(store);
    gcal_arena_destroy(arena);
}

static void counts_signed_lines_alone(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_store *store = open_store(*state);
    struct gcal_error err = { 0 };
    char *key = gcal_arena_format(arena, "%s/key", (char *)*state);
    char *public = gcal_arena_format(arena, "%s/key.pub", (char *)*state);
    char *to = gcal_arena_format(arena, "%s/checks/n2.tsv", (char *)*state);
    char *from = gcal_arena_format(arena, "%s/checks/n1.tsv", (char *)*state);
    struct gcal_checks checks;

    add(store, "pci:1", 1e-3);
    assert_int_equal(gcal_sign_keygen(key, &err), 0);
    assert_int_equal(gcal_store_sign_with(store, key, &err), 0);
    add(store, "pci:1", 2e-3);
    assert_int_equal(gcal_store_trust(store, public, &err), 0);
    checks = read_all(arena, store);
    assert_int_equal(checks.n, 1);
    assert_int_equal(checks.n_left_out, 1);
    assert_true(fabs(checks.lines[0].times[0].time_s - 2e-3) < 1e-12);
    /* Those of one node are not another's. */
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(gcal_checks_read(arena, store, "n2", &checks, &err), 0);
    assert_int_equal(checks.n, 0);
    assert_int_equal(checks.n_left_out, 2);
    gcal_store_close(store);
    gcal_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_the_newest_of_each_device, sample_setup,
                                        sample_teardown),
        cmocka_unit_test_setup_teardown(leaves_out_lines_that_are_damaged, sample_setup,
                                        sample_teardown),
        cmocka_unit_test_setup_teardown(counts_signed_lines_alone, sample_setup,
                                        sample_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
