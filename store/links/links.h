/* links.h - what messages between nodes take, in a store
 *
 *   STORE/links/NODE.yaml                   the links of a node, one class after the other
 *   STORE/link-history/NODE/RUN_ID.yaml     all that were published, until pruned
 *
 * Links within a node and those to other nodes are two classes.  Each has a curve, the same for all
 * nodes of the run that measured it, and factors by which this node's pairs deviate from it; a pair
 * far from most others has a curve of its own.  So a file tells the node's links to all others, also
 * to those that the run did not measure.
 */
#ifndef GCAL_STORE_LINKS_H
#define GCAL_STORE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/run/link.h"

struct gcal_error;
struct gcal_store;

/* A link of the node. */
struct gcal_links_pair {
    char *to; /* the other node; in the class of links within a node, the node itself */
    bool is_outlier;
    double ratio;                 /* an outlier's times over those of most links */
    struct gcal_link_curve curve; /* of an outlier */
    /* Of the others: by regime of the class; error: standard deviation of log(factor). */
    double factor[GCAL_LINK_MAX_REGIMES], error[GCAL_LINK_MAX_REGIMES];
};

struct gcal_links_class {
    char *run_id, *measured_utc;
    size_t n_measured; /* pairs of all nodes; 0: the class is not there */
    double most_bytes; /* of a message that was measured */
    struct gcal_link_curve curve;
    size_t n_pairs;
    struct gcal_links_pair *pairs;
};

enum gcal_links_class_id { GCAL_LINKS_WITHIN, GCAL_LINKS_BETWEEN, GCAL_LINKS_N_CLASSES };

/* "same node", "other node" */
extern const char *const gcal_links_class_names[];

struct gcal_links {
    char *node;
    struct gcal_links_class classes[GCAL_LINKS_N_CLASSES];
};

void gcal_links_clear(struct gcal_links *links);

/* The text of a file, for the caller to free. */
char *gcal_links_encode(const struct gcal_links *links, size_t *size,
                        struct gcal_error *err);
/* 'name': the file in messages. */
int gcal_links_decode(const char *text, size_t size, const char *name,
                      struct gcal_links *links, struct gcal_error *err);

/* The links of a node, to be cleared in any case: 1; 0 if none were measured: no class is there; -1. */
int gcal_links_load(const struct gcal_store *store, const char *node,
                    struct gcal_links *links, struct gcal_error *err);
/* The nodes with links, sorted; free with gcal_strings_free(). */
int gcal_links_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err);

struct gcal_links_time {
    double time_s, low_s, high_s; /* and the 90 % interval */
    double error;                 /* standard deviation of log(time) */
    double beyond; /* bytes over the longest message measured; at least 1 */
};

/* A message from the node to 'to', which may be the node itself.  -1 (GCAL_EINPUT) if links of that
 * class were not measured.
 */
int gcal_links_predict(const struct gcal_links *links, const char *to, double bytes,
                       struct gcal_links_time *time, struct gcal_error *err);

#endif
