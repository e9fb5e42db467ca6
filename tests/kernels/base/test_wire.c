/* test_wire.c - messages on a socket: whole, cut, hostile */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"

/* ---- values ---- */

/* Values of every type. */
static void put_all(struct gcal_buf *buf)
{
    gcal_wire_put_u32(buf, 0xfedcba98u);
    gcal_wire_put_u64(buf, 0xfedcba9876543210u);
    gcal_wire_put_f64(buf, -4.9406564584124654e-324);
    gcal_wire_put_text(buf, "d\303\251vice 2");
    gcal_wire_put_text(buf, "");
    gcal_wire_put_text(buf, NULL);
    gcal_wire_put_bytes(buf, "a\0b", 3);
    gcal_wire_put_f64(buf, -0.0);
    gcal_wire_put_f64(buf, NAN);
}

struct all {
    uint32_t u32;
    uint64_t u64;
    double f64;
    char *text, *empty, *null;
    char *bytes;
    size_t n_bytes;
    double negative_zero, nan;
};

static int get_all(const void *data, size_t size, struct all *all)
{
    struct gcal_wire wire = gcal_wire_open(data, size);

    all->u32 = gcal_wire_get_u32(&wire);
    all->u64 = gcal_wire_get_u64(&wire);
    all->f64 = gcal_wire_get_f64(&wire);
    all->text = gcal_wire_get_text(&wire);
    all->empty = gcal_wire_get_text(&wire);
    all->null = gcal_wire_get_text(&wire);
    all->bytes = gcal_wire_get_bytes(&wire, &all->n_bytes);
    all->negative_zero = gcal_wire_get_f64(&wire);
    all->nan = gcal_wire_get_f64(&wire);
    return gcal_wire_done(&wire, "all", NULL);
}

static void free_all(struct all *all)
{
    free(all->text);
    free(all->empty);
    free(all->null);
    free(all->bytes);
}

static void all_types_come_back(void **state)
{
    struct gcal_buf buf = { 0 };
    struct all all;

    (void)state;
    put_all(&buf);
    assert_int_equal(get_all(buf.data, buf.size, &all), 0);
    assert_true(all.u32 == 0xfedcba98u && all.u64 == 0xfedcba9876543210u);
    assert_true(all.f64 == -4.9406564584124654e-324);
    assert_string_equal(all.text, "d\303\251vice 2");
    assert_string_equal(all.empty, "");
    assert_null(all.null);
    assert_int_equal(all.n_bytes, 3);
    assert_memory_equal(all.bytes, "a\0b", 4);
    assert_true(all.negative_zero == 0 && signbit(all.negative_zero));
    assert_true(isnan(all.nan));
    free_all(&all);
    gcal_buf_free(&buf);
}

/* Files and messages travel between machines. */
static void bytes_are_little_endian(void **state)
{
    static const unsigned char expected[] = { 0xc9, 2,   0,   0,    2,    0,    0,
                                              0,    'n', '1', 0xff, 0xff, 0xff, 0xff };
    struct gcal_buf buf = { 0 };

    (void)state;
    gcal_wire_put_u32(&buf, 713);
    gcal_wire_put_text(&buf, "n1");
    gcal_wire_put_text(&buf, NULL);
    assert_int_equal(buf.size, sizeof(expected));
    assert_memory_equal(buf.data, expected, sizeof(expected));
    gcal_buf_free(&buf);
}

/* Cut anywhere: bad, with nothing half read.  Each cut is its own block of memory, so
 * that a sanitizer sees a byte read behind it.
 */
static void cut_at_any_length_is_bad(void **state)
{
    struct gcal_buf buf = { 0 };

    (void)state;
    put_all(&buf);
    for (size_t size = 0; size < buf.size; size++) {
        char *part = malloc(size ? size : 1);
        struct all all;

        memcpy(part, buf.data, size);
        assert_int_equal(get_all(part, size, &all), -1);
        assert_true(all.bytes || all.n_bytes == 0);
        free_all(&all);
        free(part);
    }
    gcal_buf_free(&buf);
}

static void more_than_expected_is_bad(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_wire wire;

    (void)state;
    gcal_wire_put_u64(&buf, 713);
    wire = gcal_wire_open(buf.data, buf.size);
    assert_int_equal(gcal_wire_get_u32(&wire), 713);
    assert_int_equal(gcal_wire_done(&wire, "device 2", &err), -1);
    assert_string_equal(err.text, "device 2: damaged message");
    gcal_buf_free(&buf);
}

/* A length that the message cannot hold neither allocates nor reads. */
static void hostile_lengths_are_bad(void **state)
{
    static const uint32_t lengths[] = { 13,         0x1fffffff, 0x20000001,
                                        0x7fffffff, 0xfffffffe, UINT32_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        struct gcal_buf buf = { 0 };
        struct gcal_wire text, bytes;
        size_t n_bytes = 713;

        gcal_wire_put_u32(&buf, lengths[i]);
        gcal_buf_put(&buf, "0123456789ab", 12);
        text = bytes = gcal_wire_open(buf.data, buf.size);
        assert_null(gcal_wire_get_text(&text));
        assert_true(text.bad || lengths[i] == UINT32_MAX);
        assert_null(gcal_wire_get_bytes(&bytes, &n_bytes));
        assert_true(bytes.bad && n_bytes == 0);
        assert_int_equal(gcal_wire_get_u32(&bytes), 0); /* and stays so */
        gcal_buf_free(&buf);
    }
}

/* ---- frames ---- */

static int open_pair(void **state)
{
    static int ends[2];

    *state = ends;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int close_pair(void **state)
{
    int *ends = *state;

    close_end(&ends[0]);
    close_end(&ends[1]);
    return 0;
}

/* Some message and its payload. */
static void write_frame(int fd, uint32_t type, const char *text)
{
    struct gcal_buf payload = { 0 };

    gcal_buf_puts(&payload, text);
    assert_int_equal(gcal_wire_frame_write(fd, -1, type, &payload, NULL), 0);
    gcal_buf_free(&payload);
}

static void frames_come_one_by_one(void **state)
{
    int *ends = *state;
    struct gcal_wire_frame frame;

    write_frame(ends[0], 41, "first");
    write_frame(ends[0], 43, "");
    assert_int_equal(gcal_wire_frame_read(ends[1], -1, &frame, NULL), 1);
    assert_int_equal(frame.type, 41);
    assert_int_equal(frame.payload.size, 5);
    assert_string_equal(frame.payload.data, "first");
    gcal_buf_puts(&frame.payload, " and more"); /* it is a buffer as any other */
    assert_string_equal(frame.payload.data, "first and more");
    gcal_buf_free(&frame.payload);
    assert_int_equal(gcal_wire_frame_read(ends[1], INFINITY, &frame, NULL), 1);
    assert_int_equal(frame.type, 43);
    assert_int_equal(frame.payload.size, 0);
    gcal_buf_free(&frame.payload);
    close_end(&ends[0]);
    assert_int_equal(gcal_wire_frame_read(ends[1], -1, &frame, NULL), 0);
}

/* Cut at any of its bytes: as if it had never been sent. */
static void a_torn_tail_is_the_end(void **state)
{
    int *ends = *state;
    char whole[64];
    ssize_t size;

    write_frame(ends[0], 41, "first");
    size = read(ends[1], whole, sizeof(whole));
    assert_int_equal(size, 12 + 5);
    for (size_t cut = 0; cut < (size_t)size; cut++) {
        struct gcal_wire_frame frame;
        struct gcal_error err = { 0 };

        close_pair(state);
        assert_int_equal(open_pair(state), 0);
        assert_int_equal(write(ends[0], whole, cut), cut);
        close_end(&ends[0]);
        assert_int_equal(gcal_wire_frame_read(ends[1], -1, &frame, &err), 0);
        assert_null(frame.payload.data);
        assert_string_equal(err.text, "");
    }
}

static void a_deadline_ends_the_wait(void **state)
{
    int *ends = *state;
    struct gcal_wire_frame frame;
    struct gcal_error err = { 0 };
    double start_s = gcal_clock_now_s();

    errno = 0;
    assert_int_equal(gcal_wire_frame_read(ends[1], start_s + 0.05, &frame, &err), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_true(gcal_clock_now_s() - start_s >= 0.05);
    assert_non_null(strstr(err.text, "timed out"));
    /* Within a frame, too. */
    assert_int_equal(write(ends[0], "gcal\51\0\0\0\5\0\0\0fi", 14), 14);
    errno = 0;
    assert_int_equal(
        gcal_wire_frame_read(ends[1], gcal_clock_now_s() + 0.02, &frame, &err), -1);
    assert_int_equal(errno, ETIMEDOUT);
    /* What is there already is read, however late. */
    write_frame(ends[0], 43, "late");
    assert_int_equal(gcal_wire_frame_read(ends[1], start_s, &frame, &err), 1);
    assert_string_equal(frame.payload.data, "late");
    gcal_buf_free(&frame.payload);
}

static void a_closed_peer_is_an_error_and_no_signal(void **state)
{
    int *ends = *state;
    struct gcal_buf payload = { 0 };
    struct gcal_error err = { 0 };

    close_end(&ends[1]);
    gcal_buf_puts(&payload, "anyone?");
    assert_int_equal(gcal_wire_frame_write(ends[0], -1, 41, &payload, &err), -1);
    assert_non_null(strstr(err.text, "write"));
    gcal_buf_free(&payload);
}

/* More than the buffers of the socket hold. */
static void a_peer_that_does_not_read_is_late(void **state)
{
    int *ends = *state;
    struct gcal_buf payload = { 0 };
    struct gcal_error err = { 0 };
    char block[4096] = { 0 };

    for (size_t i = 0; i < 4096; i++)
        gcal_buf_put(&payload, block, sizeof(block));
    assert_int_equal(
        gcal_wire_frame_write(ends[0], gcal_clock_now_s() + 0.05, 41, &payload, &err),
        -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_non_null(strstr(err.text, "write"));
    gcal_buf_free(&payload);
}

static void alien_bytes_are_refused(void **state)
{
    /* Another's magic; ours, with a length beyond all frames. */
    static const char aliens[][13] = { "\177ELF\2\1\1\0\0\0\0\0",
                                       "gcal\51\0\0\0\1\0\0\20",
                                       "gcal\51\0\0\0\377\377\377\377" };

    for (size_t i = 0; i < 3; i++) {
        int *ends = *state;
        struct gcal_wire_frame frame;
        struct gcal_error err = { 0 };

        assert_int_equal(write(ends[0], aliens[i], 12), 12);
        assert_int_equal(gcal_wire_frame_read(ends[1], 0, &frame, &err), -1);
        assert_int_equal(errno, EPROTO);
        assert_non_null(strstr(err.text, "not a gpucal frame"));
        assert_null(frame.payload.data);
    }
}

static void a_failed_payload_is_not_sent(void **state)
{
    int *ends = *state;
    struct gcal_buf payload = { .failed = true };
    struct gcal_wire_frame frame;

    assert_int_equal(gcal_wire_frame_write(ends[0], -1, 41, &payload, NULL), -1);
    assert_int_equal(gcal_wire_frame_read(ends[1], 0, &frame, NULL), -1);
    assert_int_equal(errno, ETIMEDOUT);
}

#define frame_test(f) cmocka_unit_test_setup_teardown(f, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_come_back),
        cmocka_unit_test(bytes_are_little_endian),
        cmocka_unit_test(cut_at_any_length_is_bad),
        cmocka_unit_test(more_than_expected_is_bad),
        cmocka_unit_test(hostile_lengths_are_bad),
        frame_test(frames_come_one_by_one),
        frame_test(a_torn_tail_is_the_end),
        frame_test(a_deadline_ends_the_wait),
        frame_test(a_closed_peer_is_an_error_and_no_signal),
        frame_test(a_peer_that_does_not_read_is_late),
        frame_test(alien_bytes_are_refused),
        frame_test(a_failed_payload_is_not_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
