/* units.c - numbers as texts */
#include "kernels/base/units.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int takes_prefix(const char *unit)
{
    return *unit == 's' || *unit == 'B' || strncmp(unit, "Hz", 2) == 0 ||
           strncmp(unit, "FLOP", 4) == 0 || strncmp(unit, "op", 2) == 0;
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
        /* 999.96 would be printed as 1000: it gets the next prefix. */
        step = (int)floor(log10(fabs(value) * 1.00005) / 3);
    if (step < -none)
        step = -none;
    if (step > last - none)
        step = last - none;
    snprintf(text, GCAL_UNITS_SIZE, "%.4g%s%s%s", value / pow(1e3, step),
             *unit ? " " : "", prefixes[step + none], unit);
    return text;
}

const char *gcal_units_percent(double value, char text[GCAL_UNITS_SIZE])
{
    double percent = 100 * value;

    if (isnan(percent))
        strcpy(text, "-");
    else
        snprintf(text, GCAL_UNITS_SIZE,
                 fabs(percent) >= 9.95 && fabs(percent) < 1e6 ? "%.0f %%" : "%.2g %%",
                 percent);
    return text;
}

/* Made by the first thread that needs it, and never freed. */
static locale_t c_locale(void)
{
    static locale_t kept;
    locale_t none = (locale_t)0, made, found;

    if ((found = __atomic_load_n(&kept, __ATOMIC_ACQUIRE)))
        return found;
    if (!(made = newlocale(LC_ALL_MASK, "C", none)) ||
        __atomic_compare_exchange_n(&kept, &none, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    freelocale(made);
    return none; /* set to another thread's by the exchange */
}

const char *gcal_units_probability(double value, char text[GCAL_UNITS_SIZE])
{
    if (isnan(value))
        snprintf(text, GCAL_UNITS_SIZE, "-");
    else if (value > 0.995)
        snprintf(text, GCAL_UNITS_SIZE, ">99 %%");
    else if (value < 0.005)
        snprintf(text, GCAL_UNITS_SIZE, "<1 %%");
    else
        snprintf(text, GCAL_UNITS_SIZE, "%.0f %%", 100 * value);
    return text;
}

double gcal_units_parse_number(const char *text, char **end)
{
    locale_t c = c_locale();

    return c ? strtod_l(text, end, c) : strtod(text, end);
}
