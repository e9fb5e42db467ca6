#include "calib/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int takes_prefix(const char *unit)
{
    return *unit == 's' || *unit == 'B' || strncmp(unit, "Hz", 2) == 0;
}

const char *gcal_units(double value, const char *unit, char text[GCAL_UNITS_SIZE])
{
    static const char *const prefixes[] = { "a", "f", "p", "n", "u", "m",
                                            "",  "k", "M", "G", "T", "P" };
    const int none = 6, last = 11;
    int step = 0;

    if (strcmp(unit, "1") == 0)
        unit = "";
    if (takes_prefix(unit) && value != 0 && isfinite(value))
        /* 999.96 would print as 1000: it belongs to the next prefix. */
        step = (int)floor(log10(fabs(value) * 1.00005) / 3);
    if (step < -none)
        step = -none;
    if (step > last - none)
        step = last - none;
    snprintf(text, GCAL_UNITS_SIZE, "%.4g%s%s%s", value / pow(1e3, step),
             *unit ? " " : "", prefixes[step + none], unit);
    return text;
}
