/* escape.h - text of any origin, as a part of formats that others read
 *
 * What is not UTF-8 and control characters become "?".
 */
#ifndef GCAL_MPI_CLI_ESCAPE_H
#define GCAL_MPI_CLI_ESCAPE_H

struct gcal_buf;

/* Text, or the value of an attribute in quotes, of HTML. */
void gcal_escape_html(struct gcal_buf *buf, const char *text);
/* The value of a label in quotes, of Prometheus' text format. */
void gcal_escape_label(struct gcal_buf *buf, const char *text);

#endif
