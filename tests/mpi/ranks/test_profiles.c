/* test_profiles.c - profiles that rank 0 counted serve the other ranks */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "mpi/cli/count_cache.h"
#include "mpi/ranks/profiles.h"

static const struct gcal_count_request request = {
    .source = "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }",
    .file = "twice.cl",
    .n_dims = 1,
    .local_size = { 64 },
    .global_size = { "n" },
    .sub_group_size = 32,
};

static struct gcal_profile *count(struct gcal_memo *profiles)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *profile = gcal_profiles_count(profiles, &request, &err);

    assert_string_equal(err.text, "");
    assert_non_null(profile);
    return profile;
}

/* What a member has of the root's profiles. */
static struct gcal_memo *send(const struct gcal_buf *message)
{
    struct gcal_memo *received = gcal_profiles_create(NULL);
    struct gcal_wire wire = gcal_wire_open(message->data, message->size);

    assert_int_equal(gcal_profiles_get(&wire, received, NULL), 0);
    assert_int_equal(gcal_wire_done(&wire, "profiles", NULL), 0);
    return received;
}

static void a_member_has_what_was_counted(void **state)
{
    struct gcal_memo *root = gcal_profiles_create(NULL), *member;
    struct gcal_profile *counted = count(root), *again;
    struct gcal_buf message = { 0 }, a = { 0 }, b = { 0 };

    (void)state;
    gcal_profiles_put(&message, root);
    member = send(&message);
    again = count(member);
    gcal_profile_put(&a, counted);
    gcal_profile_put(&b, again);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    gcal_profile_destroy(counted);
    gcal_profile_destroy(again);
    gcal_buf_free(&message);
    gcal_buf_free(&a);
    gcal_buf_free(&b);
    gcal_memo_destroy(root);
    gcal_memo_destroy(member);
}

/* Requests that differ in what is known of a buffer are not the same. */
static void keys_have_all_of_buffers(void **state)
{
    const struct gcal_count_buffer other[] = {
        { .argument = "x" },
        { .argument = "x", .elements = "n" },
        { .argument = "x", .bytes = 4 },
        { .argument = "x", .channels = 4 },
        { .argument = "x", .first = "0", .last = "3" },
        { .argument = "x", .first = "0", .last = "3", .sorted = true },
        { .argument = "x", .dtype = "int32", .data = "1234", .data_bytes = 4 },
    };
    enum { N = sizeof(other) / sizeof(*other) };
    char keys[N][GCAL_COUNT_KEY_SIZE];
    struct gcal_count_request r = request;

    (void)state;
    r.n_buffers = 1;
    for (size_t i = 0; i < N; i++) {
        r.buffers = &other[i];
        assert_true(gcal_command_count_key(&r, keys[i]));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(keys[k], keys[i]);
    }
}

/* The message has another profile for the request, which no count would give. */
static void what_is_there_is_not_counted(void **state)
{
    struct gcal_memo *root = gcal_profiles_create(NULL), *member;
    struct gcal_profile *profile = count(root);
    struct gcal_buf message = { 0 }, data = { 0 };
    char key[GCAL_COUNT_KEY_SIZE];

    (void)state;
    assert_true(gcal_command_count_key(&request, key));
    free(profile->kernel);
    profile->kernel = strdup("thrice");
    gcal_profile_put(&data, profile);
    gcal_wire_put_u32(&message, 1);
    gcal_wire_put_text(&message, key);
    gcal_wire_put_bytes(&message, data.data, data.size);
    gcal_profile_destroy(profile);
    member = send(&message);
    profile = count(member);
    assert_string_equal(profile->kernel, "thrice");
    gcal_profile_destroy(profile);
    gcal_buf_free(&message);
    gcal_buf_free(&data);
    gcal_memo_destroy(root);
    gcal_memo_destroy(member);
}

/* It is not the whole message. */
static void a_damaged_message_is_seen(void **state)
{
    struct gcal_memo *root = gcal_profiles_create(NULL),
                     *member = gcal_profiles_create(NULL);
    struct gcal_buf message = { 0 };
    struct gcal_wire wire;

    (void)state;
    gcal_profile_destroy(count(root));
    gcal_profiles_put(&message, root);
    wire = gcal_wire_open(message.data, message.size - 1);
    assert_int_equal(gcal_profiles_get(&wire, member, NULL), 0);
    assert_true(wire.bad);
    gcal_buf_free(&message);
    gcal_memo_destroy(root);
    gcal_memo_destroy(member);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_has_what_was_counted),
        cmocka_unit_test(what_is_there_is_not_counted),
        cmocka_unit_test(keys_have_all_of_buffers),
        cmocka_unit_test(a_damaged_message_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
