/* past.c - readings: of what was measured, and of the checks that a store has */
#include <math.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"
#include "kernels/base/clock.h"

struct gcal_health_reading gcal_health_read(const struct gcal_health_measured *m)
{
    struct gcal_health_reading reading = { 0 };

    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        reading.x[r] = log(m->time_s[r]); /* NaN stays so */
    return reading;
}

char *gcal_health_epoch(struct gcal_arena *arena, const struct gcal_device_info *info)
{
    return gcal_arena_format(arena, "driver %s, gpucal " GPUCAL_VERSION, info->driver);
}

/* The line as a reading: times of other kernels than those of 'm' are left out. */
static struct gcal_health_reading read_line(const struct gcal_checks_line *line,
                                            const struct gcal_health_measured *m)
{
    struct gcal_health_reading reading = { 0 };

    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        reading.x[r] = NAN;
    for (size_t i = 0; i < line->n; i++) {
        const struct gcal_checks_time *t = &line->times[i];

        for (size_t r = 0; r < GCAL_HEALTH_N; r++)
            if (m->kernel[r] && strcmp(gcal_health_resource_word(r), t->name) == 0 &&
                strcmp(m->kernel[r], t->kernel) == 0) {
                reading.x[r] = log(t->time_s);
                reading.off[r] = t->off;
            }
    }
    reading.x[GCAL_HEALTH_CLOCK] = -log(line->clock_hz);
    return reading;
}

size_t gcal_health_past(struct gcal_arena *arena, const struct gcal_checks *checks,
                        const struct gcal_device_info *info,
                        const struct gcal_health_measured *m, const char *calibrated_utc,
                        struct gcal_health_reading **past)
{
    const char *epoch = gcal_health_epoch(arena, info);
    double calibrated_s = gcal_clock_parse_utc(calibrated_utc);
    size_t n = 0, n_before = 0;

    *past = gcal_arena_alloc(arena, checks->n, sizeof(**past));
    for (size_t i = 0; i < checks->n; i++) {
        const struct gcal_checks_line *line = &checks->lines[i];

        if (strcmp(line->uid, info->uid) != 0 || strcmp(line->epoch, epoch) != 0)
            continue;
        (*past)[n++] = read_line(line, m);
        if (gcal_clock_parse_utc(line->utc) < calibrated_s)
            n_before = n;
    }
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        /* A calibration after the first 'n' readings has accepted the level of their last ones: if these
             * were off, they count, and those before them do not.
             */
        size_t from = n_before;

        while (from && (*past)[from - 1].off[r])
            (*past)[--from].off[r] = false;
        for (size_t i = 0; i < from && from < n_before; i++)
            (*past)[i].x[r] = NAN;
    }
    return n;
}

size_t gcal_health_others(const struct gcal_checks *checks,
                          const struct gcal_device_info *info, const char *epoch,
                          const struct gcal_health_measured *m,
                          struct gcal_health_reading *others, size_t n)
{
    for (size_t i = 0; i < checks->n && n < GCAL_HEALTH_MOST_DEVICES; i++) {
        const struct gcal_checks_line *line = &checks->lines[i];
        bool is_newest =
            strcmp(line->uid, info->uid) != 0 && strcmp(line->type, info->type) == 0 &&
            strcmp(line->epoch, epoch) == 0 && gcal_checks_is_newest(checks, i);

        if (is_newest)
            others[n++] = read_line(line, m);
    }
    return n;
}

struct gcal_checks_line gcal_health_line(struct gcal_arena *arena,
                                         const struct gcal_device_info *info,
                                         const struct gcal_health_measured *m,
                                         const bool off[GCAL_HEALTH_N])
{
    char *utc = gcal_arena_alloc(arena, GCAL_CLOCK_UTC_SIZE, 1);
    struct gcal_checks_line line = {
        .utc = utc,
        .uid = info->uid,
        .type = info->type,
        .epoch = gcal_health_epoch(arena, info),
        .clock_hz = 1 / m->time_s[GCAL_HEALTH_CLOCK],
        .times = gcal_arena_alloc(arena, GCAL_HEALTH_N, sizeof(*line.times)),
    };

    gcal_clock_utc(utc);
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        if (m->kernel[r])
            line.times[line.n++] =
                (struct gcal_checks_time){ .name = gcal_health_resource_word(r),
                                           .kernel = m->kernel[r],
                                           .time_s = m->time_s[r],
                                           .off = off[r] };
    return line;
}
