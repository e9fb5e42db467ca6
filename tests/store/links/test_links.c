/* test_links.c - published links: their text, predictions, publication */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/strings.h"
#include "store/files/store.h"
#include "store/links/links.h"
#include "store/publish/publish.h"
#include "tests/folder.h"
#include "tests/unit.h"

#define FILE_NAME TEST_DATA "/links.yaml"

static void read_example(struct gcal_links *links)
{
    struct gcal_error err = { 0 };
    size_t size;
    char *text = gcal_file_read(FILE_NAME, 1 << 20, &size, &err);

    assert_non_null(text);
    if (gcal_links_decode(text, size, "links.yaml", links, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
}

static void assert_near(double value, double wanted)
{
    if (!(fabs(value / wanted - 1) < 1e-9))
        fail_msg("%.17g is not %.17g", value, wanted);
}

static void the_text_is_read_back(void **state)
{
    struct gcal_links links, again;
    struct gcal_error err = { 0 };
    size_t size, size_again;
    char *text, *text_again;

    (void)state;
    read_example(&links);
    text = gcal_links_encode(&links, &size, &err);
    assert_non_null(text);
    assert_int_equal(gcal_links_decode(text, size, "again", &again, &err), 0);
    text_again = gcal_links_encode(&again, &size_again, &err);
    assert_string_equal(text, text_again);
    assert_int_equal(again.classes[GCAL_LINKS_BETWEEN].n_pairs, 2);
    free(text);
    free(text_again);
    gcal_links_clear(&links);
    gcal_links_clear(&again);
}

static void times_are_those_of_the_pair(void **state)
{
    struct gcal_links links;
    struct gcal_links_time time;
    struct gcal_error err = { 0 };

    (void)state;
    read_example(&links);
    /* The class, its deviation, its own curve; beyond what was measured; within the node. */
    assert_int_equal(gcal_links_predict(&links, "n9", 1024, &time, &err), 0);
    assert_near(time.time_s, 2.385e-6 + 1024 * 8.9e-11);
    assert_near(time.error, hypot(0.03, 0.04));
    assert_near(time.high_s / time.time_s, exp(1.6448536269514722 * 0.05));
    assert_int_equal(gcal_links_predict(&links, "n2", 1 << 20, &time, &err), 0);
    assert_near(time.time_s, 1.043 * (9.1e-6 + (1048576 - 65536) * 8.1e-11));
    assert_near(time.error, hypot(0.02, 0.013));
    assert_true(time.beyond == 1);
    assert_int_equal(gcal_links_predict(&links, "n3", 1 << 26, &time, &err), 0);
    assert_near(time.time_s, 2.9e-6 + 67108864 * 8.4e-10);
    assert_near(time.error, 0.021);
    assert_true(time.beyond == 4);
    assert_int_equal(gcal_links_predict(&links, "vm", 4096, &time, &err), 0);
    assert_near(time.time_s, 1.6e-6);
    links.classes[GCAL_LINKS_WITHIN].n_measured = 0;
    assert_int_equal(gcal_links_predict(&links, "vm", 4096, &time, &err), -1);
    assert_non_null(strstr(err.text, "two ranks on it"));
    gcal_links_clear(&links);
}

static void refuse(const char *from, const char *to, const char *message)
{
    size_t size;
    char *text = gcal_file_read(FILE_NAME, 1 << 20, &size, NULL),
         *at = strstr(text, from);
    char changed[8192];
    struct gcal_error err = { 0 };
    struct gcal_links links;

    assert_non_null(at);
    snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, to,
             at + strlen(from));
    assert_int_equal(gcal_links_decode(changed, strlen(changed), "f", &links, &err), -1);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    free(text);
}

static void damage_is_refused(void **state)
{
    (void)state;
    refuse("gpucal_links: 1", "gpucal_links: 2", "another version of gpucal");
    refuse("other node", "same node", "comes twice");
    refuse("from_bytes: 1048576", "from_bytes: 1024", "below that of the regime before");
    refuse("factors: [0.97, 1.043]", "factors: [0.97]", "a number for each regime");
    refuse("measured: 6", "measured: 0", "pairs that were measured");
    refuse("errors: [0.011", "errors: [-0.011", "at least 0");
    refuse("byte_s: 4.9e-10", "byte_s: nan", "byte_s");
    refuse("  - to: n2\n", "  - from: n2\n", "from");
}

/* A class that was not measured stays, and the store verifies. */
static void classes_are_published_one_by_one(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_verify_result verify;
    struct gcal_links links, read, other;
    struct gcal_store *store;
    char **names;
    size_t n;
    bool made;

    (void)state;
    store = gcal_store_init(folder, &made, &err);
    assert_non_null(store);
    read_example(&links);
    if (gcal_store_publish_links(store, &links, "20261128T100000Z-1", &err) < 0)
        fail_msg("%s", err.text);
    other = links;
    other.classes[GCAL_LINKS_BETWEEN].n_measured = 0;
    other.classes[GCAL_LINKS_WITHIN].most_bytes = 4096;
    assert_int_equal(gcal_store_publish_links(store, &other, "20261128T110000Z-2", &err),
                     0);
    assert_int_equal(gcal_links_nodes(store, &names, &n, &err), 0);
    assert_int_equal(n, 1);
    gcal_strings_free(names, n);
    assert_int_equal(gcal_links_load(store, "vm", &read, &err), 1);
    assert_true(read.classes[GCAL_LINKS_WITHIN].most_bytes == 4096);
    assert_int_equal(read.classes[GCAL_LINKS_BETWEEN].n_pairs, 2);
    gcal_links_clear(&read);
    assert_int_equal(gcal_links_load(store, "n2", &read, &err), 0);
    gcal_links_clear(&read);
    assert_int_equal(gcal_store_verify(store, &verify, &err), 0);
    if (verify.n_damaged || verify.n_interrupted)
        fail_msg("%s", verify.text);
    gcal_verify_result_clear(&verify);
    gcal_links_clear(&links);
    gcal_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_read_back),
        cmocka_unit_test(times_are_those_of_the_pair),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test_setup_teardown(classes_are_published_one_by_one, folder_make,
                                        folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
