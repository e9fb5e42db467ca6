/* links.c - which pairs of ranks measure their link, and when: rank 0's part
 *
 * One rank of each node takes part, and where a node has two, both measure the link within it.  By
 * the circle method, n nodes take n - 1 rounds of n/2 pairs that nobody shares.  A round begins when
 * the one before has ended, so that a link is measured while as many others are busy as may be.
 * It comes before devices are measured: a device that is a processor would be in its way.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/wire.h"
#include "kernels/model/run/link.h"
#include "mpi/ranks/link.h"
#include "mpi/ranks/root.h"

/* A pair gets as long as all rounds fit into the configuration's time. */
#define LEAST_PAIR_S 0.03
#define MOST_PAIR_S  1.0
/* A rank waits for its partner to begin, and then for each message. */
#define ROUND_LIMIT_S (2 * GCAL_LINK_LIMIT_S + 2)

struct pair {
    int rank[2];
    bool answered[2];
};

struct gcal_root_links {
    size_t n;               /* nodes */
    int *first, *mate;      /* n: ranks of a node; mate -1: it has no second one */
    size_t round, n_rounds; /* round 0: within nodes */
    double pair_s, began_s, deadline_s;
    size_t n_pairs, n_measured;
    struct pair *pairs; /* of this round */
    bool *hangs;        /* by rank of the run */
};

size_t gcal_links_round(size_t n, size_t round, size_t (*pairs)[2])
{
    size_t even = n + n % 2, m = even - 1, n_pairs = 0;

    /* The last one stays, the others go round a circle of m places and meet who is opposite; with
     * an odd n, nobody is the last one.
     */
    for (size_t i = 0; i < even / 2; i++) {
        size_t a = (round + i) % m, b = i ? (round + m - i) % m : m;

        if (a < n && b < n) {
            pairs[n_pairs][0] = a < b ? a : b;
            pairs[n_pairs++][1] = a < b ? b : a;
        }
    }
    return n_pairs;
}

/* ---- who takes part ---- */

static void find_nodes(const struct gcal_root *root, struct gcal_root_links *l)
{
    for (size_t i = 0; i < root->n_peers; i++) {
        const struct gcal_root_peer *peer = &root->peers[i];
        size_t k = 0;

        if (peer->state != GCAL_ROOT_PEER_WORKING)
            continue;
        while (k < l->n && strcmp(root->peers[l->first[k]].node, peer->node) != 0)
            k++;
        if (k == l->n) {
            l->first[l->n] = (int)i;
            l->mate[l->n++] = -1;
        } else if (l->mate[k] < 0) {
            l->mate[k] = (int)i;
        }
    }
}

void gcal_root_links_start(struct gcal_root *root)
{
    struct gcal_arena *arena = root->arena;
    struct gcal_root_links *l = gcal_arena_alloc(arena, 1, sizeof(*l));
    double limit_s = (double)root->config.links_budget_s;
    bool has_mates = false;
    size_t n_rounds;

    l->first = gcal_arena_alloc(arena, root->n_peers, sizeof(*l->first));
    l->mate = gcal_arena_alloc(arena, root->n_peers, sizeof(*l->mate));
    l->hangs = gcal_arena_alloc(arena, root->n_peers, sizeof(*l->hangs));
    l->pairs = gcal_arena_alloc(arena, root->n_peers, sizeof(*l->pairs));
    root->links = l;
    if (limit_s > 0 && root->n_peers > 1 && !root->has_links)
        find_nodes(root, l);
    for (size_t i = 0; i < l->n; i++)
        has_mates = has_mates || l->mate[i] >= 0;
    l->round = has_mates ? 0 : 1;
    n_rounds = (l->n > 1 ? l->n + l->n % 2 - 1 : 0) + has_mates;
    l->n_rounds = n_rounds + !has_mates;
    if (!n_rounds)
        return;
    l->pair_s = limit_s / (double)n_rounds;
    l->pair_s = l->pair_s < MOST_PAIR_S ? l->pair_s : MOST_PAIR_S;
    if (l->pair_s >= LEAST_PAIR_S)
        return;
    gcal_log(
        GCAL_LOG_INFO,
        "links between %zu nodes are not measured: %zu rounds of %g s do not fit into "
        "%g s (links: budget_s: %.0f in the configuration measures them)",
        l->n, n_rounds, LEAST_PAIR_S, limit_s, (double)n_rounds * LEAST_PAIR_S + 1);
    l->n_rounds = 0;
}

/* ---- rounds ---- */

static void send_pair(struct gcal_root *root, const struct pair *p, int which)
{
    const struct gcal_root_links *l = root->links;
    struct gcal_buf buf = { 0 };

    gcal_wire_put_u32(&buf, (uint32_t)p->rank[!which]);
    gcal_wire_put_u32(&buf, which == 0);
    gcal_wire_put_text(&buf, root->peers[p->rank[!which]].node);
    gcal_wire_put_u64(&buf, l->round);
    gcal_wire_put_f64(&buf, l->pair_s);
    gcal_comm_send(root->comm, p->rank[which], GCAL_RANKS_TAG_LINK, &buf, NULL);
    gcal_buf_free(&buf);
}

static bool is_there(const struct gcal_root *root, int rank)
{
    return rank >= 0 && !root->links->hangs[rank] &&
           root->peers[rank].state == GCAL_ROOT_PEER_WORKING;
}

static void add_pair(struct gcal_root *root, int first, int second)
{
    struct gcal_root_links *l = root->links;

    if (is_there(root, first) && is_there(root, second))
        l->pairs[l->n_pairs++] = (struct pair){ .rank = { first, second } };
}

static void begin_round(struct gcal_root *root)
{
    struct gcal_root_links *l = root->links;
    size_t(*pairs)[2] = gcal_arena_alloc(root->arena, l->n / 2 + 1, sizeof(*pairs));
    size_t n;

    l->n_pairs = 0;
    if (l->round == 0) {
        for (size_t i = 0; i < l->n; i++)
            add_pair(root, l->first[i], l->mate[i]);
    } else {
        n = gcal_links_round(l->n, l->round - 1, pairs);
        for (size_t i = 0; i < n; i++)
            add_pair(root, l->first[pairs[i][0]], l->first[pairs[i][1]]);
    }
    l->deadline_s = gcal_clock_now_s() + ROUND_LIMIT_S;
    for (size_t i = 0; i < l->n_pairs; i++)
        for (int k = 0; k < 2; k++)
            send_pair(root, &l->pairs[i], k);
}

/* Returns whether all have answered, or are not waited for any longer. */
static bool has_ended(struct gcal_root *root)
{
    struct gcal_root_links *l = root->links;
    bool is_late = gcal_clock_now_s() > l->deadline_s;

    for (size_t i = 0; i < l->n_pairs; i++)
        for (int k = 0; k < 2; k++) {
            int rank = l->pairs[i].rank[k];

            if (l->pairs[i].answered[k] || !is_there(root, rank))
                continue;
            if (!is_late)
                return false;
            l->hangs[rank] = true;
            gcal_root_note_lost(root, root->peers[rank].node, rank,
                                "it does not answer while links are measured: its other "
                                "links are left out");
        }
    return true;
}

bool gcal_root_links_step(struct gcal_root *root)
{
    struct gcal_root_links *l = root->links;

    if (!l->began_s)
        l->began_s = gcal_clock_now_s();
    else if (!has_ended(root))
        return false;
    else
        l->round++;
    if (l->round < l->n_rounds) {
        begin_round(root);
        return false;
    }
    if (l->n_measured)
        gcal_log(GCAL_LOG_INFO, "%zu link%s measured in %.1f s", l->n_measured,
                 l->n_measured == 1 ? "" : "s", gcal_clock_now_s() - l->began_s);
    root->links = NULL;
    return true;
}

int gcal_root_take_link(struct gcal_root *root, int from, struct gcal_wire *wire,
                        struct gcal_error *err)
{
    char *trouble = gcal_arena_own(root->arena, gcal_wire_get_text(wire), free);
    struct gcal_root_links *l = root->links;
    struct gcal_run_link link;
    int rc = 0;

    if (gcal_run_link_get(wire, &link, err) < 0)
        return -1;
    for (size_t i = 0; l && i < l->n_pairs; i++)
        for (int k = 0; k < 2; k++)
            if (l->pairs[i].rank[k] == from)
                l->pairs[i].answered[k] = true;
    if (trouble && *trouble) {
        gcal_root_note_lost(root, root->peers[from].node, from, trouble);
    } else if (link.n_times && l) {
        l->n_measured++;
        rc = root->sink.link(root->sink.context, &link, err);
    }
    gcal_run_link_clear(&link);
    return rc;
}
