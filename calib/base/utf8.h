/* utf8.h - texts from outside, such as a driver's, that files and pages are to hold */
#ifndef GCAL_CALIB_BASE_UTF8_H
#define GCAL_CALIB_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character that 'text' begins with, 0 where it is none in UTF-8 (RFC 3629:
 * no longer than it needs to be, no surrogates, not beyond U+10FFFF).
 */
size_t gcal_utf8_length(const char *text);

/* What is not UTF-8, and control characters, become '?'.  Returns 'text'. */
char *gcal_utf8_clean(char *text);

#endif
