/* plot.c - gnuplot scripts of an audit's plots */
#include "mpi/commands/audit/page/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/units.h"
#include "mpi/commands/audit/page/plot_colours.h"

/* Half width of a 90 % interval in standard deviations (normal distribution). */
#define NORMAL_90 1.645

bool gcal_plot_has(const struct gcal_audit_device *device, size_t series)
{
    for (size_t i = 0; i < device->n_runs; i++)
        if (isfinite(device->series[series].value[i]))
            return true;
    return false;
}

const char *gcal_plot_mark(size_t epoch, char text[24])
{
    if (epoch <= 26)
        snprintf(text, 24, "%c", (char)('A' + epoch - 1));
    else
        snprintf(text, 24, "%zu", epoch);
    return text;
}

/* ---- what is drawn ---- */

struct history {
    const struct gcal_audit_device *device;
    const struct gcal_audit_series *series;
    const struct gcal_audit_policy *policy;
    double scale;           /* of values: 1 on the axis */
    double from_s, until_s; /* the axis */
    double low, high;
    double reference; /* scaled; NaN without */
    double of_type;   /* the median of the device's type; NaN where it is near */
};

static double time_of(const struct gcal_audit_device *device, size_t run)
{
    double time_s = gcal_clock_parse_utc(device->run[run]->utc);

    return isfinite(time_s) ? time_s : 0;
}

static void set_times(struct history *h)
{
    double margin_s;

    h->from_s = INFINITY;
    h->until_s = -INFINITY;
    for (size_t i = 0; i < h->device->n_runs; i++) {
        h->from_s = fmin(h->from_s, time_of(h->device, i));
        h->until_s = fmax(h->until_s, time_of(h->device, i));
    }
    margin_s = fmax(0.03 * (h->until_s - h->from_s), 60);
    h->from_s -= margin_s;
    h->until_s += margin_s;
}

static void include(struct history *h, double value)
{
    if (isfinite(value)) {
        h->low = fmin(h->low, value);
        h->high = fmax(h->high, value);
    }
}

/* Includes all values and the limits of warnings, for proportion. */
static void set_range(struct history *h, double margin)
{
    double warn = h->policy->warn, height;

    h->low = INFINITY;
    h->high = -INFINITY;
    for (size_t i = 0; i < h->device->n_runs; i++)
        include(h, h->series->value[i] / h->scale);
    include(h, h->reference * (1 - warn));
    include(h, h->reference * (1 + warn));
    include(h, h->of_type);
    height = h->high - h->low;
    if (!(height > 0))
        height = h->high != 0 ? fabs(h->high) : 1;
    h->low -= margin * height;
    h->high += margin * height;
}

/* The power of 1000 that the prefix of the value's unit means. */
static double prefix_of(double value, const char *unit)
{
    char text[GCAL_UNITS_SIZE], plain[GCAL_UNITS_SIZE];
    double scale = value != 0 && isfinite(value)
                       ? pow(1e3, floor(log10(fabs(value) * 1.00005) / 3))
                       : 1;

    /* Some units have no prefixes. */
    gcal_units(scale, unit, text);
    gcal_units(1, unit, plain);
    return strncmp(text, "1 ", 2) == 0 || strcmp(text, plain) == 0 ? scale : 1;
}

/* "ns": letters alone, as units come from files. */
static void put_unit(struct gcal_buf *script, double scale, const char *unit)
{
    char text[GCAL_UNITS_SIZE];
    const char *at = strchr(gcal_units(scale, unit, text), ' ');

    for (; at && *at; at++)
        if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))
            gcal_buf_put(script, at, 1);
}

/* The type's median, for a device that deviates by more than a warning; else NaN. */
static double median_of_type(const struct gcal_audit_series *s, double newest,
                             const struct gcal_audit_policy *policy)
{
    return fabs(s->against_type) > policy->warn ? newest / (1 + s->against_type) : NAN;
}

static double some_value(const struct gcal_audit_device *device,
                         const struct gcal_audit_series *series)
{
    for (size_t i = device->n_runs; i-- > 0;)
        if (isfinite(series->value[i]))
            return series->value[i];
    return NAN;
}

/* ---- parts of scripts ---- */

static void put_start(struct gcal_buf *script, int width, int height, int font)
{
    gcal_buf_printf(script,
                    "reset\nset terminal svg size %d,%d dynamic font 'sans-serif,%d'\n"
                    "set output\nset encoding utf8\nset border 3 lc rgb '" COLOUR_AXIS
                    "'\nset tics nomirror textcolor rgb '" COLOUR_TEXT "'\n"
                    "set tics scale 0.4\nunset key\n",
                    width, height, font);
}

static void put_time_axis(struct gcal_buf *script, const struct history *h, bool small)
{
    double days = (h->until_s - h->from_s) / 86400;
    const char *format = days > 700 ? "%Y" : days > 3 ? "%d %b\\n%Y" : "%H:%M\\n%d %b";
    int n_tics = small ? 2 : 6;

    gcal_buf_printf(script,
                    "set xdata time\nset timefmt '%%s'\nset xrange ['%.0f':'%.0f']\n",
                    h->from_s, h->until_s);
    gcal_buf_printf(script, "set format x \"%s\"\nset xtics %.0f\n", format,
                    ceil(days / n_tics) > 1 ? 86400 * ceil(days / n_tics)
                                            : ceil(24 * days / n_tics) * 3600);
}

/* Half width of the interval that holds 90 % of repeated calibrations, scaled.  The
 * standard error of a value includes the misfit of the model, which is the same in all
 * calibrations, and so is used only where the repeatability is unknown.
 */
static double band_of(const struct history *h, size_t run)
{
    const struct gcal_audit_series *s = h->series;
    double error =
        isfinite(s->repeatability) ? s->repeatability * s->value[run] : s->error[run];

    return isfinite(error) ? NORMAL_90 * fabs(error) / h->scale : 0;
}

/* Values by run: time, value, ends of the band; epochs apart. */
static void put_data(struct gcal_buf *script, const struct history *h)
{
    gcal_buf_puts(script, "$d << EOD\n");
    for (size_t i = 0; i < h->device->n_runs; i++) {
        double value = h->series->value[i] / h->scale, band = band_of(h, i);

        if (i && h->device->epoch[i] != h->device->epoch[i - 1])
            gcal_buf_puts(script, "\n");
        if (isfinite(value))
            gcal_buf_printf(script, "%.0f %.7g %.7g %.7g\n", time_of(h->device, i), value,
                            fmax(value - band, h->low), fmin(value + band, h->high));
    }
    gcal_buf_puts(script, "EOD\n");
}

/* Lines between the last run of an epoch and the first of the next. */
static void put_epochs(struct gcal_buf *script, const struct history *h, bool labels)
{
    const struct gcal_audit_device *device = h->device;
    char mark[24];

    for (size_t i = 1; i < device->n_runs; i++) {
        double at = (time_of(device, i - 1) + time_of(device, i)) / 2;

        if (device->epoch[i] == device->epoch[i - 1])
            continue;
        gcal_buf_printf(script,
                        "set arrow from '%.0f', graph 0 to '%.0f', graph 1 nohead dt 2 "
                        "lw 1 lc rgb '" COLOUR_EPOCH "'\n",
                        at, at);
        if (labels)
            gcal_buf_printf(script,
                            "set label '%s' at '%.0f', graph 1.05 center "
                            "textcolor rgb '" COLOUR_EPOCH "'\n",
                            gcal_plot_mark(device->epoch[i], mark), at);
    }
}

static void put_since(struct gcal_buf *script, const struct history *h)
{
    size_t since = h->series->since;
    double at;

    if (since >= h->device->n_runs)
        return;
    at = time_of(h->device, since);
    if (since && h->device->epoch[since] == h->device->epoch[since - 1])
        at = (at + time_of(h->device, since - 1)) / 2;
    gcal_buf_printf(script,
                    "set arrow from '%.0f', graph 0 to '%.0f', graph 1 nohead lw 1.5 lc "
                    "rgb '" COLOUR_FAIL "'\n",
                    at, at);
}

static void put_level(struct gcal_buf *script, const struct history *h, double value,
                      const char *style)
{
    if (isfinite(value) && value > h->low && value < h->high)
        gcal_buf_printf(script,
                        "set arrow from graph 0, first %.7g to graph 1, first "
                        "%.7g nohead %s\n",
                        value, value, style);
}

/* The reference with its band, and the limits. */
static void put_levels(struct gcal_buf *script, const struct history *h)
{
    static const char limit_warn[] = "dt 2 lw 1 lc rgb '" COLOUR_WARN "'",
                      limit_fail[] = "dt 2 lw 1 lc rgb '" COLOUR_FAIL "'";
    double spread = exp(NORMAL_90 * h->series->repeatability);

    if (!isfinite(h->reference))
        return;
    if (isfinite(spread))
        gcal_buf_printf(script,
                        "set object 1 rectangle from graph 0, first %.7g to graph 1, "
                        "first %.7g fc rgb '" COLOUR_SPREAD "' fs transparent solid 0.25 "
                        "noborder behind\n",
                        fmax(h->reference / spread, h->low),
                        fmin(h->reference * spread, h->high));
    put_level(script, h, h->of_type, "lw 1.5 dt 3 lc rgb '" COLOUR_TYPE "'");
    put_level(script, h, h->reference, "lw 1 lc rgb '" COLOUR_AXIS "'");
    put_level(script, h, h->reference * (1 - h->policy->warn), limit_warn);
    put_level(script, h, h->reference * (1 + h->policy->warn), limit_warn);
    put_level(script, h, h->reference * (1 - h->policy->fail), limit_fail);
    put_level(script, h, h->reference * (1 + h->policy->fail), limit_fail);
}

/* ---- plots ---- */

/* A round number that fits once or twice into 'limit', so that labels do not collide. */
static double tic_step(double limit)
{
    double power = pow(10, floor(log10(limit)));
    double units = limit / power;

    return (units < 1.25 ? 0.5 : units < 2.5 ? 1 : units < 5 ? 2 : 5) * power;
}

void gcal_plot_history(struct gcal_buf *script, const struct gcal_audit_device *device,
                       size_t series, const struct gcal_audit_policy *policy)
{
    const struct gcal_audit_series *s = &device->series[series];
    double typical = isfinite(s->reference) ? s->reference : some_value(device, s);
    struct history h = { .device = device,
                         .series = s,
                         .policy = policy,
                         .scale = prefix_of(typical, s->column.unit) };

    h.reference = s->reference / h.scale;
    h.of_type = median_of_type(s, s->value[s->newest], policy) / h.scale;
    set_times(&h);
    set_range(&h, 0.1);
    put_start(script, 680, 260, 14);
    put_time_axis(script, &h, false);
    gcal_buf_printf(script, "set yrange [%.7g:%.7g]\nset ytics %.7g\nset ylabel '", h.low,
                    h.high, tic_step(0.5 * (h.high - h.low)));
    put_unit(script, h.scale, s->column.unit);
    gcal_buf_puts(script, "' textcolor rgb '" COLOUR_TEXT "'\nset lmargin 10\n");
    if (isfinite(h.reference) && h.reference > 0)
        gcal_buf_printf(script,
                        "set border 11\nset y2range [%.7g:%.7g]\nset y2tics %.7g "
                        "nomirror\n"
                        "set y2label 'change, %%' textcolor rgb '" COLOUR_TEXT "'\n",
                        100 * (h.low / h.reference - 1), 100 * (h.high / h.reference - 1),
                        tic_step(50 * (h.high - h.low) / h.reference));
    put_levels(script, &h);
    put_epochs(script, &h, true);
    put_since(script, &h);
    put_data(script, &h);
    gcal_buf_puts(script,
                  "plot $d using 1:3:4 with filledcurves fc rgb '" COLOUR_LINE
                  "' fs transparent solid 0.2 noborder, "
                  "$d using 1:2 with lines lw 1.5 lc rgb '" COLOUR_LINE "', "
                  "$d using 1:2 with points pt 7 ps 0.35 lc rgb '" COLOUR_LINE "'\n");
}

/* The limit of warnings, unless it is so near to 0 that the labels would collide. */
static double small_tic(const struct history *h)
{
    double warn = h->policy->warn, height = h->high - h->low;

    return warn > 0.16 * height ? warn
                                : tic_step(fmax(fabs(h->high - 1), fabs(h->low - 1)));
}

void gcal_plot_small(struct gcal_buf *script, const struct gcal_audit_device *device,
                     size_t series, const struct gcal_audit_policy *policy)
{
    const struct gcal_audit_series *s = &device->series[series];
    double typical =
        isfinite(s->reference) && s->reference > 0 ? s->reference : some_value(device, s);
    struct history h = { .device = device, .series = s, .policy = policy };
    double low, high, tic;

    h.scale = typical != 0 ? typical : 1;
    h.reference = isfinite(s->reference) ? s->reference / h.scale : NAN;
    h.of_type = NAN;
    set_times(&h);
    set_range(&h, 0.15);
    put_start(script, 230, 92, 11);
    put_time_axis(script, &h, true);
    low = 100 * (h.low - 1);
    high = 100 * (h.high - 1);
    tic = 100 * small_tic(&h);
    gcal_buf_printf(script,
                    "unset xtics\nset format x ''\nset yrange [%.7g:%.7g]\n"
                    "set ytics (%.7g, 0, %.7g)\nset format y '%%+.0f%%%%'\n",
                    low, high, -tic, tic);
    gcal_buf_puts(script,
                  "set lmargin 6\nset rmargin 1\nset tmargin 0.5\nset bmargin 0.5\n"
                  "set border 2\nset arrow from graph 0, first 0 to graph 1, first 0 "
                  "nohead lw 1 lc rgb '" COLOUR_AXIS "'\n");
    put_epochs(script, &h, false);
    put_data(script, &h);
    gcal_buf_puts(script,
                  "plot $d using 1:(100*($3-1)):(100*($4-1)) with filledcurves fc "
                  "rgb '" COLOUR_LINE "' fs transparent solid 0.2 noborder, "
                  "$d using 1:(100*($2-1)) with lines lw 1.3 lc rgb '" COLOUR_LINE "'\n");
}

/* ---- how devices of a type differ ---- */

#define N_BINS 45

double gcal_plot_spread_limit(size_t n, const double *deviation,
                              const struct gcal_audit_policy *policy)
{
    double largest = 0.5 * policy->warn;

    for (size_t i = 0; i < n; i++)
        if (isfinite(deviation[i]))
            largest = fmax(largest, fabs(deviation[i]));
    return fmin(largest * 1.05, 1.25 * policy->fail);
}

void gcal_plot_spread(struct gcal_buf *script, size_t n, const double *deviation,
                      const bool *marked, double limit)
{
    size_t all[N_BINS] = { 0 }, of_marked[N_BINS] = { 0 }, highest = 1;
    double width = 2 * limit / N_BINS;

    for (size_t i = 0; i < n; i++) {
        double at = floor((deviation[i] + limit) / width);
        size_t bin = at > 0 ? (size_t)fmin(at, N_BINS - 1) : 0;

        if (!isfinite(deviation[i]))
            continue;
        all[bin]++;
        of_marked[bin] += marked[i];
        highest = all[bin] > highest ? all[bin] : highest;
    }
    put_start(script, 280, 110, 11);
    gcal_buf_printf(
        script,
        "set xrange [%.5g:%.5g]\nset yrange [0:%.5g]\nset format x '%%+g%%%%'\n"
        "set xtics %.5g\nset xtics add ('0' 0)\nset ytics (0, %zu)\n"
        "set boxwidth %.5g\nset lmargin 6\nset rmargin 2.5\nset tmargin 0.5\n"
        "set arrow from first 0, graph 0 to first 0, graph 1 nohead lc rgb "
        "'" COLOUR_AXIS "'\n$d << EOD\n",
        -100 * limit, 100 * limit, 1.1 * (double)highest, 100 * tic_step(limit), highest,
        90 * width);
    for (size_t i = 0; i < N_BINS; i++)
        if (all[i])
            gcal_buf_printf(script, "%.5g %zu %zu\n",
                            100 * (((double)i + 0.5) * width - limit), all[i],
                            of_marked[i]);
    gcal_buf_puts(script,
                  "EOD\nplot $d using 1:2 with boxes fc rgb '" COLOUR_LINE
                  "' fs solid noborder, $d using 1:3 with boxes fc rgb '" COLOUR_FAIL
                  "' fs solid noborder\n");
}
