/* escape.h - untrusted text as part of HTML, of Prometheus' text format and of a shell's command */
#ifndef GCAL_MPI_CLI_ESCAPE_H
#define GCAL_MPI_CLI_ESCAPE_H

struct gcal_buf;

/* Text of HTML, or the quoted value of an attribute.  In this and the next, bytes that are not
 * UTF-8 and control characters become "?".
 */
void gcal_escape_html(struct gcal_buf *buf, const char *text);
/* The quoted value of a label of Prometheus' text format. */
void gcal_escape_label(struct gcal_buf *buf, const char *text);
/* One word of a shell's command line, quoted where it needs to be. */
void gcal_escape_shell(struct gcal_buf *buf, const char *word);

#endif
