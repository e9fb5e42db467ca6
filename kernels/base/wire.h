/* wire.h - numbers and strings as bytes, and frames of them on a file descriptor
 *
 * One encoding for the worker's pipe, the messages between ranks and the journal:
 * little-endian, strings preceded by a 32-bit length.  A reader that finds something
 * invalid stays 'bad' and yields zeros and NULLs, so that one check at the end of a message
 * is enough: gcal_wire_done().
 */
#ifndef GCAL_KERNELS_BASE_WIRE_H
#define GCAL_KERNELS_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/buf.h"

struct gcal_error;

void gcal_wire_put_u32(struct gcal_buf *buf, uint32_t value);
void gcal_wire_put_u64(struct gcal_buf *buf, uint64_t value);
void gcal_wire_put_f64(struct gcal_buf *buf, double value);
void gcal_wire_put_text(struct gcal_buf *buf, const char *text); /* NULL stays NULL */
void gcal_wire_put_bytes(struct gcal_buf *buf, const void *data, size_t size);

struct gcal_wire {
    const unsigned char *at;
    size_t left;
    bool bad;
};

struct gcal_wire gcal_wire_open(const void *data, size_t size);
uint32_t gcal_wire_get_u32(struct gcal_wire *wire);
uint64_t gcal_wire_get_u64(struct gcal_wire *wire);
double gcal_wire_get_f64(struct gcal_wire *wire);

/* Copies, the caller's to free. */
char *gcal_wire_get_text(struct gcal_wire *wire);
void *gcal_wire_get_bytes(struct gcal_wire *wire, size_t *size);

/* Returns 0 if all bytes were read and valid, else -1 with 'err' naming 'what'. */
int gcal_wire_done(const struct gcal_wire *wire, const char *what,
                   struct gcal_error *err);

/* A frame on a descriptor: type, length, payload. */
struct gcal_wire_frame {
    uint32_t type;
    struct gcal_buf payload;
};

/* Writes a frame; 0 or -1.  A closed peer is an error, never a signal.  Until 'deadline_s'
 * (as below), then -1 with errno ETIMEDOUT, waits for a peer that does not read; only on a
 * socket.
 */
int gcal_wire_frame_write(int fd, double deadline_s, uint32_t type,
                          const struct gcal_buf *payload, struct gcal_error *err);

/* Reads one frame and returns 1; 0 if the peer closes before the frame is complete, -1 on
 * an error.  Waits until 'deadline_s' (of gcal_clock_now_s(); negative: forever), then
 * returns -1 with errno ETIMEDOUT.
 */
int gcal_wire_frame_read(int fd, double deadline_s, struct gcal_wire_frame *frame,
                         struct gcal_error *err);

#endif
