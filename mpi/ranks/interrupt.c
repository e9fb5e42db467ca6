/* interrupt.c - what a run says last when it is interrupted */
#include "mpi/ranks/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "mpi/cli/escape.h"
#include "mpi/ranks/ranks.h"

static const int signals[] = { SIGINT, SIGTERM };
enum { N_SIGNALS = sizeof(signals) / sizeof(*signals) };

/* Lines that the handler may print at any moment, and so are never freed. */
static char *lines[2]; /* to continue, to fit */
static const char *_Atomic offered;

static void say_it(int number)
{
    const char *line = atomic_exchange(&offered, NULL);

    if (line && write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(128 + number);
    signal(number, SIG_DFL);
    raise(number);
}

static void put_option(struct gcal_buf *buf, const char *name, const char *value)
{
    if (!value)
        return;
    gcal_buf_printf(buf, " --%s ", name);
    gcal_escape_shell(buf, value);
}

static void put_catalogue(struct gcal_buf *buf, const struct gcal_ranks_options *o)
{
    for (size_t i = 0; i < o->catalogue.n; i++)
        put_option(buf, "catalogue", o->catalogue.items[i]);
}

/* Takes 'buf', which becomes a line. */
static int offer(struct gcal_buf *buf, char **line, struct gcal_error *err)
{
    struct sigaction action = { .sa_handler = say_it }, before;

    if (!(*line = gcal_buf_take(buf, err)))
        return -1;
    atomic_store(&offered, *line);
    for (int i = 0; i < N_SIGNALS; i++) /* what is ignored, as by nohup, stays so */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    return 0;
}

int gcal_interrupt_offer_resume(const struct gcal_ranks_options *o, const char *record,
                                struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "\ngpucal: interrupted; what was measured is kept. To continue, "
                        "launched as before: gpucal calibrate");
    put_option(&buf, "config", o->config);
    put_option(&buf, "store", o->store);
    put_catalogue(&buf, o);
    put_option(&buf, "device", o->device);
    if (o->budget_s > 0)
        gcal_buf_printf(&buf, " --budget %g", o->budget_s);
    put_option(&buf, "resume", record);
    gcal_buf_puts(&buf, "\n");
    return offer(&buf, &lines[0], err);
}

int gcal_interrupt_offer_fit(const struct gcal_ranks_options *o, const char *record,
                             const char *store, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf,
                  "\ngpucal: interrupted; the record is complete. To fit and publish "
                  "it: gpucal fit");
    put_option(&buf, "record", record);
    put_option(&buf, "store", store);
    put_catalogue(&buf, o);
    gcal_buf_puts(&buf, "\n");
    return offer(&buf, &lines[1], err);
}

void gcal_interrupt_offer_nothing(void)
{
    atomic_store(&offered, NULL);
}
