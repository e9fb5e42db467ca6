/* utf8.h - cleaning of texts from outside, such as a driver's, for files and pages */
#ifndef GCAL_KERNELS_BASE_UTF8_H
#define GCAL_KERNELS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the first character of 'text'; 0 if it is not valid UTF-8 (RFC 3629: shortest
 * form, no surrogates, up to U+10FFFF).
 */
size_t gcal_utf8_length(const char *text);

/* Returns whether 'text' begins with a control character (C0, DEL, C1): a terminal may obey it. */
bool gcal_utf8_is_control(const char *text);

/* Replaces invalid UTF-8 and control characters by '?'.  Returns 'text'. */
char *gcal_utf8_clean(char *text);

#endif
