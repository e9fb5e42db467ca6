/* escape.h - untrusted text as part of HTML and of Prometheus' text format
 *
 * Bytes that are not UTF-8 and control characters become "?".
 */
#ifndef GCAL_MPI_CLI_ESCAPE_H
#define GCAL_MPI_CLI_ESCAPE_H

struct gcal_buf;

/* Text of HTML, or the quoted value of an attribute. */
void gcal_escape_html(struct gcal_buf *buf, const char *text);
/* The quoted value of a label of Prometheus' text format. */
void gcal_escape_label(struct gcal_buf *buf, const char *text);

#endif
