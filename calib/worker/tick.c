/* tick.c - waiting for a socket, with a tick now and then */
#include <poll.h>

#include "kernels/base/clock.h"
#include "calib/worker/private.h"

#define TICK_S 0.1

/* A tick may take long: poll once more after it, however late. */
bool gcal_worker_tick_wait(int fd, const struct gcal_worker_tick *tick, double deadline_s)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };

    for (;;) {
        double left_s = deadline_s - gcal_clock_now_s();
        double wait_s = left_s < TICK_S ? left_s : TICK_S;

        if (poll(&ready, 1, wait_s > 0 ? (int)(1e3 * wait_s) + 1 : 0) > 0)
            return true;
        if (left_s <= 0)
            return false;
        if (tick && tick->call)
            tick->call(tick->context);
    }
}
