/* values.c - the values that an argument of a generator allows */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

bool gcal_generator_is_power_of_two(long long value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

bool gcal_generator_arg_allows(const struct gcal_generator_arg *a, const char *value)
{
    long long number = gcal_catalogue_is_integer(value) ? atoll(value) : -1;

    switch (a->form) {
    case GCAL_GENERATOR_VALUES_LISTED:
        return gcal_strings_contain(&a->listed, value);
    case GCAL_GENERATOR_VALUES_SIZE:
        return gcal_catalogue_is_size(value);
    case GCAL_GENERATOR_VALUES_RANGE:
        return number >= a->first && number <= a->last &&
               (number - a->first) % a->step == 0;
    case GCAL_GENERATOR_VALUES_POWERS:
        return number >= a->first && number <= a->last &&
               gcal_generator_is_power_of_two(number);
    case GCAL_GENERATOR_VALUES_LOADS: {
        /* Loads by name, joined by '+'; names are checked against a source in kept_loads.c. */
        size_t n = 1;

        if (!*value || *value == '+' || value[strlen(value) - 1] == '+' ||
            strstr(value, "++"))
            return false;
        for (const char *c = value; *c; c++) {
            if (*c != '_' && *c != '+' && !isalnum((unsigned char)*c))
                return false;
            n += *c == '+';
        }
        return n <= GCAL_GENERATOR_MAX_KEPT;
    }
    }
    return false;
}

bool gcal_generator_arg_is_integer(const struct gcal_generator_arg *a)
{
    if (a->form == GCAL_GENERATOR_VALUES_LOADS)
        return false;
    for (size_t i = 0; i < a->listed.n; i++)
        if (!gcal_catalogue_is_integer(a->listed.items[i]))
            return false;
    return true;
}

int gcal_generator_arg_list_values(const struct gcal_generator_arg *a,
                                   struct gcal_strings *values, struct gcal_error *err)
{
    const bool is_range = a->form == GCAL_GENERATOR_VALUES_RANGE;
    const bool is_counted = is_range || a->form == GCAL_GENERATOR_VALUES_POWERS;

    for (size_t i = 0; i < a->listed.n; i++)
        if (gcal_strings_add(values, a->listed.items[i], err) < 0)
            return -1;
    for (long long v = a->first; is_counted && v <= a->last;
         v = is_range ? v + a->step : 2 * v) {
        char text[32];

        snprintf(text, sizeof(text), "%lld", v);
        if (gcal_strings_add(values, text, err) < 0)
            return -1;
    }
    return 0;
}

void gcal_generator_arg_put_values(const struct gcal_generator_arg *a,
                                   struct gcal_buf *out)
{
    switch (a->form) {
    case GCAL_GENERATOR_VALUES_LISTED:
        for (size_t i = 0; i < a->listed.n; i++)
            gcal_buf_printf(out, "%s%s", i ? ", " : "", a->listed.items[i]);
        break;
    case GCAL_GENERATOR_VALUES_SIZE:
        gcal_buf_puts(out, "positive integers");
        break;
    case GCAL_GENERATOR_VALUES_RANGE:
        gcal_buf_printf(out, "%lld to %lld", a->first, a->last);
        if (a->step > 1)
            gcal_buf_printf(out, " in steps of %lld", a->step);
        break;
    case GCAL_GENERATOR_VALUES_POWERS:
        gcal_buf_printf(out, "powers of two from %lld to %lld", a->first, a->last);
        break;
    case GCAL_GENERATOR_VALUES_LOADS:
        gcal_buf_puts(out, "all, each, or names of global loads joined by '+'");
        break;
    }
}
