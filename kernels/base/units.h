/* units.h - numbers as texts: with units for people, and parsed from files */
#ifndef GCAL_KERNELS_BASE_UNITS_H
#define GCAL_KERNELS_BASE_UNITS_H

#include <stddef.h>

#define GCAL_UNITS_SIZE 32

/* "1.234 ms", "139.8 GB", "0 s": four digits and a decimal prefix before 'unit'.  Only
 * "s", "Hz", "B", "FLOP", "op" and units that start with them take a prefix; "1" (a pure number) and
 * others do not.  Returns 'text'.
 */
const char *gcal_units(double value, const char *unit, char text[GCAL_UNITS_SIZE]);

/* "0.42 %", "3.1 %", "225 %" of 0.0042, 0.031, 2.25; "-" for NaN.  Returns 'text'. */
const char *gcal_units_percent(double value, char text[GCAL_UNITS_SIZE]);

/* "97 %" of 0.97; never 0 % or 100 %, as a predicted order is not certain; "-" for NaN.  Returns
 * 'text'.
 */
const char *gcal_units_probability(double value, char text[GCAL_UNITS_SIZE]);

/* strtod() with '.' as decimal point in any locale: programs that load libgpucal may have
 * set one with another.
 */
double gcal_units_parse_number(const char *text, char **end);

#endif
