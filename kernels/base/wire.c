/* wire.c - numbers, strings and frames as bytes */
#include "kernels/base/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"

#define NULL_TEXT       UINT32_MAX
#define FRAME_MAGIC     0x6c616367u /* "gcal" */
#define FRAME_MAX_BYTES (256u << 20)

static void put_le(struct gcal_buf *buf, uint64_t value, size_t size)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    gcal_buf_put(buf, bytes, size);
}

static uint64_t le(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

void gcal_wire_put_u32(struct gcal_buf *buf, uint32_t value)
{
    put_le(buf, value, 4);
}

void gcal_wire_put_u64(struct gcal_buf *buf, uint64_t value)
{
    put_le(buf, value, 8);
}

void gcal_wire_put_f64(struct gcal_buf *buf, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, 8);
    put_le(buf, bits, 8);
}

void gcal_wire_put_bytes(struct gcal_buf *buf, const void *data, size_t size)
{
    if (size >= NULL_TEXT) {
        buf->failed = true;
        return;
    }
    gcal_wire_put_u32(buf, (uint32_t)size);
    gcal_buf_put(buf, data, size);
}

void gcal_wire_put_text(struct gcal_buf *buf, const char *text)
{
    if (text)
        gcal_wire_put_bytes(buf, text, strlen(text));
    else
        gcal_wire_put_u32(buf, NULL_TEXT);
}

struct gcal_wire gcal_wire_open(const void *data, size_t size)
{
    return (struct gcal_wire){ .at = data, .left = size };
}

static const unsigned char *take(struct gcal_wire *wire, size_t size)
{
    const unsigned char *at = wire->at;

    if (wire->bad || size > wire->left) {
        wire->bad = true;
        return NULL;
    }
    wire->at += size;
    wire->left -= size;
    return at;
}

uint32_t gcal_wire_get_u32(struct gcal_wire *wire)
{
    const unsigned char *at = take(wire, 4);

    return at ? (uint32_t)le(at, 4) : 0;
}

uint64_t gcal_wire_get_u64(struct gcal_wire *wire)
{
    const unsigned char *at = take(wire, 8);

    return at ? le(at, 8) : 0;
}

double gcal_wire_get_f64(struct gcal_wire *wire)
{
    uint64_t bits = gcal_wire_get_u64(wire);
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

static void *copy(struct gcal_wire *wire, size_t size)
{
    const unsigned char *at = take(wire, size);
    char *data = at ? malloc(size + 1) : NULL;

    if (!data) {
        wire->bad = true;
        return NULL;
    }
    memcpy(data, at, size);
    data[size] = '\0';
    return data;
}

char *gcal_wire_get_text(struct gcal_wire *wire)
{
    uint32_t size = gcal_wire_get_u32(wire);

    return wire->bad || size == NULL_TEXT ? NULL : copy(wire, size);
}

void *gcal_wire_get_bytes(struct gcal_wire *wire, size_t *size)
{
    void *data;

    *size = gcal_wire_get_u32(wire);
    data = wire->bad ? NULL : copy(wire, *size);
    if (!data)
        *size = 0;
    return data;
}

int gcal_wire_done(const struct gcal_wire *wire, const char *what, struct gcal_error *err)
{
    if (wire->bad || wire->left)
        return gcal_error_set(err, GCAL_EINPUT, "%s: damaged message", what);
    return 0;
}

/* For poll(): rounded up, within the range of int. */
static int wait_ms(double deadline_s)
{
    double left_s = deadline_s - gcal_clock_now_s();

    if (deadline_s < 0)
        return -1;
    return left_s > 1e6 ? 1000000000 : left_s > 0 ? (int)(1e3 * left_s) + 1 : 0;
}

/* Waits for room in the socket's buffer. */
static int await_room(int fd, double deadline_s)
{
    struct pollfd room = { .fd = fd, .events = POLLOUT };
    int n = poll(&room, 1, wait_ms(deadline_s));

    if (n == 0)
        errno = ETIMEDOUT;
    return n > 0 || (n < 0 && errno == EINTR) ? 0 : -1;
}

static int write_all(int fd, double deadline_s, const char *data, size_t size)
{
    while (size) {
        /* send() if possible: a dead peer must not raise SIGPIPE. */
        ssize_t done = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (done < 0 && errno == ENOTSOCK)
            done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && (errno != EAGAIN || await_room(fd, deadline_s) < 0))
            return -1;
        if (done < 0)
            continue;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

int gcal_wire_frame_write(int fd, double deadline_s, uint32_t type,
                          const struct gcal_buf *payload, struct gcal_error *err)
{
    struct gcal_buf whole = { 0 };
    int rc = -1;

    if (payload->failed || payload->size > FRAME_MAX_BYTES)
        return gcal_error_set(err, GCAL_EINPUT, "message too large");
    gcal_wire_put_u32(&whole, FRAME_MAGIC);
    gcal_wire_put_u32(&whole, type);
    gcal_wire_put_u32(&whole, (uint32_t)payload->size);
    gcal_buf_put(&whole, payload->data, payload->size);
    if (whole.failed)
        gcal_error_memory(err);
    else if (write_all(fd, deadline_s, whole.data, whole.size) < 0)
        gcal_error_set(err, GCAL_EINPUT, "write: %s", strerror(errno));
    else
        rc = 0;
    gcal_buf_free(&whole);
    return rc;
}

/* Returns 1 after 'size' bytes, 0 at the end of the stream, -1 with errno. */
static int read_exactly(int fd, double deadline_s, char *data, size_t size)
{
    while (size) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int n = poll(&ready, 1, wait_ms(deadline_s));
        ssize_t got;

        if (n == 0)
            errno = ETIMEDOUT;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        got = read(fd, data, size);
        if (got < 0 && errno == ECONNRESET)
            got = 0;
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return -1;
        if (got > 0) {
            data += got;
            size -= (size_t)got;
        }
    }
    return 1;
}

int gcal_wire_frame_read(int fd, double deadline_s, struct gcal_wire_frame *frame,
                         struct gcal_error *err)
{
    unsigned char head[12];
    uint32_t size;
    char *data;
    int rc = read_exactly(fd, deadline_s, (char *)head, sizeof(head));

    *frame = (struct gcal_wire_frame){ 0 };
    if (rc < 0)
        gcal_error_set(err, GCAL_EINPUT, "read: %s", strerror(errno));
    if (rc <= 0)
        return rc;
    size = (uint32_t)le(head + 8, 4);
    if (le(head, 4) != FRAME_MAGIC || size > FRAME_MAX_BYTES) {
        errno = EPROTO;
        return gcal_error_set(err, GCAL_EINPUT, "read: not a gpucal frame");
    }
    if (!(data = malloc((size_t)size + 1)))
        return gcal_error_memory(err);
    rc = read_exactly(fd, deadline_s, data, size);
    if (rc <= 0) {
        if (rc < 0)
            gcal_error_set(err, GCAL_EINPUT, "read: %s", strerror(errno));
        free(data);
        return rc;
    }
    data[size] = '\0';
    frame->type = (uint32_t)le(head + 4, 4);
    frame->payload =
        (struct gcal_buf){ .data = data, .size = size, .capacity = (size_t)size + 1 };
    return 1;
}
