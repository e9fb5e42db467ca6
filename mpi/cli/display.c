/* display.c - progress of measurements: bars on a terminal, lines otherwise */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "mpi/cli/display.h"
#include "mpi/cli/quiet.h"

#define BAR_WIDTH      24
#define KEY_MIN        8
#define KEY_MAX        40
#define OTHERS_WIDTH   (BAR_WIDTH + 40) /* of a line: all but the key */
#define LINE_EVERY_S   10.0             /* per device */
#define REDRAW_EVERY_S 0.2

struct row {
    char *key; /* node and device */
    char phase[32];
    size_t done, total;
    double elapsed_s, left_s, printed_s;
    const char *what; /* is counted: "kernels" */
};

struct gcal_display {
    bool quiet, terminal;
    size_t n_rows, capacity;
    struct row *rows;
    pthread_mutex_t lock; /* of the members below: any thread may log a line */
    size_t n_drawn;
    double drawn_s;
};

bool gcal_display_is_terminal(int fd)
{
    const char *kind = getenv("TERM");

    return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

struct gcal_display_size gcal_display_size(int fd)
{
    struct gcal_display_size found = { 80, 24 };
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) < 0)
        return found;
    if (size.ws_col)
        found.columns = size.ws_col;
    if (size.ws_row)
        found.rows = size.ws_row;
    return found;
}

static void clear(void *display)
{
    gcal_display_clear(display);
}

struct gcal_display *gcal_display_create(bool quiet)
{
    struct gcal_display *display = calloc(1, sizeof(*display));

    if (display) {
        pthread_mutex_init(&display->lock, NULL);
        display->quiet = quiet || gcal_quiet_is_on();
        display->terminal = gcal_display_is_terminal(STDERR_FILENO);
        gcal_log_set_hook(clear, display);
    }
    return display;
}

static struct row *find_row(struct gcal_display *d, const char *node, const char *name)
{
    char *key = gcal_buf_format("%s %s", node, name);
    struct row *row;

    if (!key)
        return NULL;
    for (size_t i = 0; i < d->n_rows; i++)
        if (strcmp(d->rows[i].key, key) == 0) {
            free(key);
            return &d->rows[i];
        }
    if (!(row = gcal_array_grow(d->rows, d->n_rows, &d->capacity, sizeof(*row), NULL))) {
        free(key);
        return NULL;
    }
    d->rows = row;
    row += d->n_rows++;
    *row = (struct row){ .key = key, .printed_s = -LINE_EVERY_S, .what = "kernels" };
    return row;
}

static void clear_bars(struct gcal_display *d)
{
    for (; d->n_drawn; d->n_drawn--)
        fputs("\033[1A\033[2K", stderr);
    d->drawn_s = 0;
}

void gcal_display_clear(struct gcal_display *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&d->lock);
    clear_bars(d);
    pthread_mutex_unlock(&d->lock);
}

/* Empty while the time left is unknown. */
static const char *left_text(const struct row *row, const char *before, char text[40])
{
    text[0] = '\0';
    if (isfinite(row->left_s))
        snprintf(text, 40, "%s%.0f s left", before, row->left_s);
    return text;
}

static void redraw(struct gcal_display *d)
{
    pthread_mutex_lock(&d->lock);
    if (gcal_clock_now_s() - d->drawn_s >= REDRAW_EVERY_S) {
        struct gcal_display_size size = gcal_display_size(STDERR_FILENO);

        clear_bars(d);
        for (; d->n_drawn < d->n_rows && d->n_drawn + 1 < size.rows; d->n_drawn++) {
            /* One line of the terminal: one that is wrapped could not be cleared. */
            const struct row *row = &d->rows[d->n_drawn];
            int columns = (int)size.columns;
            /* Kernels by time: they are measured in turns and finish together, near the end. */
            double share = isfinite(row->left_s)
                               ? row->elapsed_s / (row->elapsed_s + row->left_s + 1e-3)
                           : row->total ? (double)row->done / (double)row->total
                                        : 0;
            size_t full = (size_t)(BAR_WIDTH * share);
            int key = columns - OTHERS_WIDTH;
            char bar[BAR_WIDTH + 1], left[40], line[KEY_MAX + BAR_WIDTH + 200];

            memset(bar, '.', BAR_WIDTH);
            memset(bar, '#', full > BAR_WIDTH ? BAR_WIDTH : full);
            bar[BAR_WIDTH] = '\0';
            key = key < KEY_MIN ? KEY_MIN : key > KEY_MAX ? KEY_MAX : key;
            snprintf(line, sizeof(line), "%-*.*s [%s] %3zu/%-3zu %-14.14s %s", key, key,
                     row->key, bar, row->done, row->total, row->phase,
                     left_text(row, "", left));
            fprintf(stderr, "%.*s\n", columns - 1, line);
        }
        d->drawn_s = gcal_clock_now_s();
    }
    pthread_mutex_unlock(&d->lock);
}

/* A new phase is printed at once. */
static void print_line(struct row *row, bool new_phase)
{
    double now_s = gcal_clock_now_s();
    char left[40];

    if (!new_phase && now_s - row->printed_s < LINE_EVERY_S)
        return;
    row->printed_s = now_s;
    fprintf(stderr, "gpucal: %s: %s, %zu of %zu %s%s\n", row->key, row->phase, row->done,
            row->total, row->what, left_text(row, ", about ", left));
}

void gcal_display_update(struct gcal_display *d, const char *node,
                         const struct gcal_plan_progress *progress)
{
    bool new_phase;
    struct row *row;

    if (!d || d->quiet || !(row = find_row(d, node, progress->device_name)))
        return;
    new_phase = strncmp(row->phase, progress->phase, sizeof(row->phase) - 1) != 0;
    snprintf(row->phase, sizeof(row->phase), "%s", progress->phase);
    row->done = progress->kernels_done;
    row->total = progress->kernels_total;
    row->elapsed_s = progress->elapsed_s;
    row->left_s = progress->left_s > 0 ? progress->left_s : 0;
    if (d->terminal)
        redraw(d);
    else
        print_line(row, new_phase);
}

static void forget_rows(struct gcal_display *d)
{
    for (size_t i = 0; i < d->n_rows; i++)
        free(d->rows[i].key);
    d->n_rows = 0;
}

void gcal_display_fitted(void *display, size_t n_done, size_t n_fits)
{
    struct gcal_display *d = display;
    struct row *row;

    if (!d || d->quiet)
        return;
    if (n_done == 0) { /* measuring is over */
        gcal_display_clear(d);
        forget_rows(d);
    }
    if (!(row = find_row(d, "all", "devices")))
        return;
    if (n_done == 0)
        row->printed_s = gcal_clock_now_s();
    snprintf(row->phase, sizeof(row->phase), "fitting");
    row->what = "models";
    row->done = n_done;
    row->total = n_fits;
    row->left_s = INFINITY;
    if (d->terminal)
        redraw(d);
    else
        print_line(row, false);
}

void gcal_display_destroy(struct gcal_display *d)
{
    if (!d)
        return;
    gcal_log_set_hook(NULL, NULL);
    forget_rows(d);
    free(d->rows);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
