/* test_measuring.c - which devices of a rank are measured at once, and what their threads send */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/threads.h"
#include "mpi/ranks/measuring.h"
#include "tests/unit.h"

static struct gcal_measuring_device make(const char *name, const char *type,
                                         const char *uid)
{
    return (struct gcal_measuring_device){
        .info = { .name = strdup(name), .device_type = strdup(type), .uid = strdup(uid) }
    };
}

static void cpus_are_measured_last_and_alone(void **state)
{
    struct gcal_measuring_device devices[] = {
        make("Xeon", "cpu", "0"), make("H100", "gpu", "1"), make("Xeon", "cpu", "2"),
        make("H100", "gpu", "3"), make("FPGA", "accelerator", "4")
    };
    static const char *const order[] = { "1", "3", "4", "0", "2" };
    static const char *const labels[] = { "H100 #1", "H100 #2", "FPGA", "Xeon #1",
                                          "Xeon #2" };
    struct gcal_arena *arena = gcal_arena_create();

    (void)state;
    gcal_measuring_label(arena, devices, 5);
    gcal_measuring_sort(devices, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(devices[i].info.uid, order[i]);
        assert_string_equal(devices[i].label, labels[i]);
    }
    assert_int_equal(gcal_measuring_at_once(devices, 5), 3);
    assert_int_equal(gcal_measuring_at_once(&devices[3], 2), 1);
    assert_int_equal(gcal_measuring_at_once(&devices[4], 1), 1);
    for (size_t i = 0; i < 5; i++)
        gcal_device_info_clear(&devices[i].info);
    gcal_arena_destroy(arena);
}

static void progress_is_reported_now_and_then(void **state)
{
    struct gcal_measuring_pace pace = { 0 };
    int n = 0;

    (void)state;
    for (int i = 0; i < 100; i++) /* three seconds */
        n += gcal_measuring_is_due(&pace, "measuring", 77 + 0.03 * i);
    assert_int_equal(n, 3);
    assert_true(gcal_measuring_is_due(&pace, "warming up", 80.01));
    assert_true(!gcal_measuring_is_due(&pace, "warming up", 80.02));
}

/* ---- the outbox ---- */

enum { N_THREADS = 4, N_MESSAGES = 500 };

static struct gcal_outbox *outbox;

static void *send_all(void *context)
{
    int number = *(int *)context;

    for (int i = 0; i < N_MESSAGES; i++) {
        struct gcal_buf buf = { 0 };

        gcal_buf_put(&buf, &i, sizeof(i));
        if (gcal_outbox_put(outbox, number, &buf, NULL) < 0)
            return NULL;
    }
    return NULL;
}

static void messages_of_a_thread_stay_in_order(void **state)
{
    struct gcal_thread *threads[N_THREADS];
    int numbers[N_THREADS], next[N_THREADS] = { 0 }, tag, i;
    struct gcal_buf payload;

    (void)state;
    for (int k = 0; k < N_THREADS; k++) {
        numbers[k] = k;
        threads[k] = gcal_thread_start(send_all, &numbers[k], NULL);
        assert_non_null(threads[k]);
    }
    for (int n = 0; n < N_THREADS * N_MESSAGES; n++) {
        assert_true(gcal_outbox_take(outbox, 20, &tag, &payload));
        memcpy(&i, payload.data, sizeof(i));
        assert_int_equal(i, next[tag]++);
        gcal_buf_free(&payload);
    }
    for (int k = 0; k < N_THREADS; k++)
        gcal_thread_join(threads[k]);
    assert_true(!gcal_outbox_take(outbox, 0, &tag, &payload));
}

static void nobody_gets_messages_once_it_is_closed(void **state)
{
    double began_s = gcal_clock_now_s();
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    int tag;

    (void)state;
    gcal_buf_puts(&buf, "first");
    assert_int_equal(gcal_outbox_put(outbox, 7, &buf, &err), 0);
    assert_null(buf.data);
    gcal_outbox_close(outbox);
    gcal_buf_puts(&buf, "second");
    assert_int_equal(gcal_outbox_put(outbox, 7, &buf, &err), -1);
    assert_string_equal(err.text, "rank 0 no longer answers");
    assert_true(gcal_outbox_take(outbox, 0, &tag, &buf)); /* what was there is sent */
    assert_string_equal(buf.data, "first");
    gcal_buf_free(&buf);
    assert_true(!gcal_outbox_take(outbox, 0.05, &tag, &buf));
    assert_true(gcal_clock_now_s() - began_s >= 0.05);
}

static int open_outbox(void **state)
{
    (void)state;
    return (outbox = gcal_outbox_create()) ? 0 : -1;
}

static int close_outbox(void **state)
{
    (void)state;
    gcal_outbox_destroy(outbox);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_are_measured_last_and_alone),
        cmocka_unit_test(progress_is_reported_now_and_then),
        cmocka_unit_test_setup_teardown(messages_of_a_thread_stay_in_order, open_outbox,
                                        close_outbox),
        cmocka_unit_test_setup_teardown(nobody_gets_messages_once_it_is_closed,
                                        open_outbox, close_outbox),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
