/* links.c - a record's times of messages to published links */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "calib/results/private.h"
#include "fit/links/links.h"
#include "store/links/links.h"
#include "store/publish/publish.h"

/* The links of one class. */
struct chosen {
    size_t n_pairs, n_sizes;
    const struct gcal_run_link **link; /* n_pairs */
    double *bytes;                     /* ascending */
    double most_bytes;                 /* that half of the pairs have */
    double *time_s;                    /* n_sizes x n_pairs, row per size */
    struct gcal_link_curve curve;
    struct gcal_link_fit_pair *pairs;
};

static void choose(struct gcal_arena *arena, const struct gcal_record *record, int class,
                   struct chosen *c)
{
    size_t n = 0;

    *c = (struct chosen){ .link = gcal_arena_alloc(arena, record->n_links,
                                                   sizeof(*c->link)) };
    for (size_t i = 0; i < record->n_links; i++) {
        const struct gcal_run_link *link = &record->links[i];

        if ((strcmp(link->from, link->to) == 0) != (class == GCAL_LINKS_WITHIN))
            continue;
        c->link[c->n_pairs++] = link;
        n += link->n_times;
    }
    c->bytes = gcal_arena_alloc(arena, n, sizeof(*c->bytes));
    n = 0;
    for (size_t i = 0; i < c->n_pairs; i++)
        for (size_t k = 0; k < c->link[i]->n_times; k++)
            c->bytes[n++] = (double)c->link[i]->times[k].bytes;
    gcal_median(c->bytes, n); /* sorts them */
    for (size_t i = 0; i < n; i++)
        if (!c->n_sizes || c->bytes[c->n_sizes - 1] != c->bytes[i])
            c->bytes[c->n_sizes++] = c->bytes[i];
    c->time_s = gcal_arena_alloc(arena, c->n_sizes * c->n_pairs, sizeof(*c->time_s));
    c->pairs = gcal_arena_alloc(arena, c->n_pairs, sizeof(*c->pairs));
}

static void find_times(struct gcal_arena *arena, struct chosen *c)
{
    for (size_t k = 0; k < c->n_sizes; k++) {
        size_t n_measured = 0;

        for (size_t i = 0; i < c->n_pairs; i++) {
            const struct gcal_run_link *link = c->link[i];
            double *batches = gcal_arena_alloc(arena, link->n_times, sizeof(*batches));
            size_t n = 0;

            for (size_t b = 0; b < link->n_times; b++)
                if ((double)link->times[b].bytes == c->bytes[k] &&
                    link->times[b].time_s > 0)
                    batches[n++] = link->times[b].time_s;
            c->time_s[k * c->n_pairs + i] = gcal_lower_quartile(batches, n);
            n_measured += n > 0;
        }
        if (2 * n_measured >= c->n_pairs)
            c->most_bytes = c->bytes[k];
    }
}

static void add_pair(const struct chosen *c, size_t i, const char *to,
                     struct gcal_links_class *class)
{
    const struct gcal_link_fit_pair *fitted = &c->pairs[i];
    struct gcal_links_pair *p = &class->pairs[class->n_pairs++];

    *p = (struct gcal_links_pair){ .to = (char *)to,
                                   .is_outlier = fitted->is_outlier,
                                   .ratio = fitted->ratio,
                                   .curve = fitted->curve };
    memcpy(p->factor, fitted->factor, sizeof(p->factor));
    memcpy(p->error, fitted->error, sizeof(p->error));
}

/* The class of a node's links; without any, it is not there. */
static struct gcal_links_class class_of(struct gcal_arena *arena,
                                        const struct gcal_record *record,
                                        const struct chosen *c, const char *node)
{
    struct gcal_links_class class = {
        .run_id = record->header->run_id,
        .measured_utc = (char *)gcal_result_run_time(record->header),
        .most_bytes = c->most_bytes,
        .curve = c->curve,
        .pairs = gcal_arena_alloc(arena, c->n_pairs, sizeof(*class.pairs)),
    };

    for (size_t i = 0; i < c->n_pairs; i++)
        if (strcmp(c->link[i]->from, node) == 0)
            add_pair(c, i, c->link[i]->to, &class);
        else if (strcmp(c->link[i]->to, node) == 0)
            add_pair(c, i, c->link[i]->from, &class);
    class.n_measured = class.n_pairs ? c->n_pairs : 0;
    return class;
}

/* Of many, the first are enough to see what is wrong. */
#define MOST_NAMED 10

static int say(const struct chosen *c, struct gcal_strings *said, struct gcal_error *err)
{
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < c->n_pairs && rc == 0; i++) {
        const struct gcal_link_fit_pair *p = &c->pairs[i];

        if (p->is_outlier && n++ < MOST_NAMED)
            rc = gcal_strings_take(
                said,
                gcal_buf_format(
                    "link %s - %s: messages take %.3g times as long as on most "
                    "of %zu links",
                    c->link[i]->from, c->link[i]->to, p->ratio, c->n_pairs),
                err);
    }
    if (rc == 0 && n > MOST_NAMED)
        rc = gcal_strings_take(said,
                               gcal_buf_format("%zu more links are as far from most: "
                                               "gpucal show --links",
                                               n - MOST_NAMED),
                               err);
    return rc;
}

int gcal_results_publish_links(const struct gcal_record *record, struct gcal_store *store,
                               struct gcal_strings *said, struct gcal_error *err)
{
    struct gcal_arena *arena;
    struct chosen chosen[GCAL_LINKS_N_CLASSES];
    struct gcal_strings nodes = { 0 };
    int rc = 0;

    /* Of simulated devices nothing is published, to other stores. */
    if (record->header->simulated && !gcal_store_is_for_simulations(store))
        return 0;
    arena = gcal_arena_create();
    for (int id = 0; id < GCAL_LINKS_N_CLASSES && rc == 0; id++) {
        struct chosen *c = &chosen[id];

        choose(arena, record, id, c);
        find_times(arena, c);
        if (gcal_link_fit_class(arena, c->n_sizes, c->n_pairs, c->bytes, c->time_s,
                                &c->curve, c->pairs) < 0)
            c->n_pairs = 0;
        rc = say(c, said, err);
    }
    for (size_t i = 0; i < record->n_links && rc == 0; i++)
        if ((rc = gcal_strings_include(&nodes, record->links[i].from, err)) == 0)
            rc = gcal_strings_include(&nodes, record->links[i].to, err);
    for (size_t i = 0; i < nodes.n && rc == 0; i++) {
        struct gcal_links links = { .node = nodes.items[i] };
        bool any = false;

        for (int id = 0; id < GCAL_LINKS_N_CLASSES; id++) {
            links.classes[id] = class_of(arena, record, &chosen[id], links.node);
            any = any || links.classes[id].n_measured;
        }
        struct gcal_error why = { 0 };

        /* Links that cannot be published do not keep devices from it. */
        if (any &&
            gcal_store_publish_links(store, &links, record->header->run_id, &why) < 0)
            rc = gcal_strings_take(
                said,
                gcal_buf_format("links of node %s are not published: %s", links.node,
                                why.text),
                err);
    }
    gcal_strings_clear(&nodes);
    gcal_arena_destroy(arena);
    return rc;
}
