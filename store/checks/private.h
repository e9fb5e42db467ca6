/* private.h - the text of checks */
#ifndef GCAL_STORE_CHECKS_PRIVATE_H
#define GCAL_STORE_CHECKS_PRIVATE_H

#include "store/checks/checks.h"

#define GCAL_CHECKS_HEADER "gpucal_checks 1"

/* The text of a node's file, and its header checked: 1 with 'text', the caller's to free; 0 if
 * there is none; -1.
 */
int gcal_checks_fetch(const struct gcal_store *store, int folder, const char *node,
                      char **text, struct gcal_error *err);
/* What the signatures of the node's lines begin with. */
char *gcal_checks_signed_head(const char *node);

#endif
