/* chain_loop.c - chains through the iterations of a loop
 *
 * One iteration gives the longest path from each variable that the loop changes to each of
 * them.  Some iterations are then run with weights alone; the best way back from a variable
 * ends in a cycle, its recurrence, which all further iterations repeat.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/private.h"

enum {
    MOST_CARRIED = 128,
    MOST_DECLS = 64,
    MOST_RUN = 64,
    TYPICAL_TRIPS = 100,
    NONE = -1
};

/* A variable that the loop changes. */
struct carried {
    size_t entry; /* of w->chains; or NONE: all that is stored */
    unsigned origin;
    const struct gcal_walk_chain *start, *first; /* before the loop; in an iteration */
    const struct gcal_walk_chain *end;           /* after one iteration */
};

struct gcal_walk_chain_loop {
    size_t n, n_entries;
    unsigned n_origins, dimension;
    struct gcal_walk_chain_loop *outer;
    struct carried all[MOST_CARRIED];
};

/* ---- variables that a loop changes ---- */

struct changed {
    size_t n;
    CXCursor decls[MOST_DECLS];
};

static void add_decl(struct changed *changed, CXCursor decl)
{
    for (size_t i = 0; i < changed->n; i++)
        if (clang_equalCursors(changed->decls[i], decl))
            return;
    if (changed->n < MOST_DECLS)
        changed->decls[changed->n++] = decl;
}

/* The first name in an expression that is assigned to. */
static void add_target(struct gcal_walk *w, struct changed *changed, CXCursor c)
{
    struct gcal_walk_children kids;

    for (;;) {
        if (gcal_source_kind(c) == CXCursor_DeclRefExpr) {
            CXCursor decl = clang_getCursorReferenced(c);

            if (gcal_source_kind(decl) != CXCursor_VarDecl ||
                !gcal_source_is_reference(gcal_source_type(decl))) {
                add_decl(changed, decl);
                return;
            }
            c = clang_Cursor_getVarDeclInitializer(decl);
            continue;
        }
        kids = gcal_walk_get_children(w, c);
        if (!kids.n)
            return;
        c = kids.c[0];
    }
}

static bool is_change(CXCursor c)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(c);

    return kind == CXCursor_CompoundAssignOperator ||
           (kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign) ||
           (kind == CXCursor_UnaryOperator &&
            (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PreInc ||
             unary == CXUnaryOperator_PostDec || unary == CXUnaryOperator_PreDec));
}

/* Arrays may be changed by functions, too; 'is_base': of a subscript. */
static void find_changed(struct gcal_walk *w, struct changed *changed, CXCursor c,
                         bool is_base)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids;

    if (clang_Cursor_isNull(c) || !gcal_walk_enter(w, c))
        return;
    kids = gcal_walk_get_children(w, c);
    if (is_change(c) && kids.n)
        add_target(w, changed, kids.c[0]);
    for (size_t i = 1; i < kids.n && kind == CXCursor_CallExpr; i++)
        if (gcal_walk_may_change(gcal_source_called(c), i))
            add_target(w, changed, kids.c[i]);
    if (kind == CXCursor_CallExpr && gcal_walk_is_lambda(w, gcal_source_called(c)))
        find_changed(w, changed, clang_getCursorDefinition(gcal_source_called(c)), false);
    if (kind == CXCursor_DeclRefExpr && !is_base &&
        gcal_source_is_array(gcal_source_type(c)))
        add_decl(changed, clang_getCursorReferenced(c));
    for (size_t i = 0; i < kids.n; i++)
        find_changed(w, changed, kids.c[i],
                     (kind == CXCursor_ArraySubscriptExpr && i == 0) ||
                         (kind == CXCursor_UnexposedExpr && is_base));
    gcal_walk_leave(w);
}

static bool is_changed(const struct changed *changed, const struct gcal_walk_chained *e)
{
    if (clang_Cursor_isNull(e->decl))
        return true;
    for (size_t i = 0; i < changed->n; i++)
        if (clang_equalCursors(changed->decls[i], e->decl))
            return true;
    return false;
}

/* ---- the first iteration ---- */

static struct gcal_walk_chained *entry_of(struct gcal_walk *w, const struct carried *c)
{
    return c->entry == (size_t)NONE ? &w->chains.sink : &w->chains.all[c->entry];
}

static void carry(struct gcal_walk *w, struct gcal_walk_chain_loop *frame, size_t entry)
{
    struct carried *c = &frame->all[frame->n];
    struct gcal_walk_chain *first = gcal_walk_chain_new(w);

    if (frame->n == MOST_CARRIED || !first) {
        w->chains.lost = true;
        return;
    }
    *c = (struct carried){ .entry = entry, .origin = ++w->chains.n_origins };
    c->start = entry_of(w, c)->chain;
    gcal_walk_chain_put(first, (struct gcal_walk_link){ .origin = c->origin });
    c->first = first;
    entry_of(w, c)->chain = first;
    frame->n++;
}

struct gcal_walk_chain_loop *
gcal_walk_chain_enter(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                      unsigned dimension)
{
    const CXCursor parts[] = { loop->condition, loop->increment, loop->body };
    struct gcal_walk_chain_loop *frame;
    struct changed changed = { 0 };

    if (!gcal_walk_chain_counts(w) || !(frame = calloc(1, sizeof(*frame))))
        return NULL;
    for (size_t i = 0; i < 3; i++)
        find_changed(w, &changed, parts[i], false);
    frame->outer = w->chains.loop;
    frame->dimension = dimension;
    frame->n_origins = w->chains.n_origins;
    frame->n_entries = w->chains.n;
    w->chains.loop = frame;
    carry(w, frame, (size_t)NONE);
    for (size_t i = 0; i < frame->n_entries; i++)
        if (is_changed(&changed, &w->chains.all[i]))
            carry(w, frame, i);
    return frame;
}

unsigned gcal_walk_chain_dimension(const struct gcal_walk *w, unsigned origin)
{
    const struct gcal_walk_chain_loop *frame = w->chains.loop;

    while (frame && frame->n_origins >= origin)
        frame = frame->outer;
    return frame ? frame->dimension : 0;
}

/* ---- weights over iterations ---- */

/* The best way to each variable after each iteration, from one origin outside. */
struct ways {
    const struct gcal_walk_chain_loop *frame;
    unsigned origin;
    int64_t iterations;
    double *weight; /* [iteration][variable]; below 0: none */
    int *from;      /* the variable before this iteration; NONE: from outside */
};

/* The operations of an iteration from one variable to another; false: there is no way. */
static bool inner(const struct ways *ways, size_t from, size_t to,
                  const struct gcal_walk_serial **path)
{
    const struct carried *all = ways->frame->all;
    const struct gcal_walk_link *link =
        gcal_walk_chain_find(all[to].end, all[from].origin);

    *path = link && !(link->once && from == to) ? link->path : NULL;
    return link;
}

/* The weight of a chain from the origin; below 0: it has none. */
static double outer_weight(const struct ways *ways, const struct gcal_walk_chain *chain)
{
    const struct gcal_walk_link *link = gcal_walk_chain_find(chain, ways->origin);

    if (link)
        return gcal_walk_serial_weight(link->path);
    return ways->origin || chain ? NONE : 0;
}

static void step(struct ways *ways, int64_t s, size_t to)
{
    size_t n = ways->frame->n;
    const double *before = ways->weight + (size_t)(s - 1) * n;
    size_t at = (size_t)s * n + to;

    ways->weight[at] = outer_weight(ways, ways->frame->all[to].end);
    ways->from[at] = NONE;
    for (size_t i = 0; i < n; i++) {
        const struct gcal_walk_serial *path;
        double weight = inner(ways, i, to, &path) && before[i] >= 0
                            ? before[i] + gcal_walk_serial_weight(path)
                            : NONE;

        if (weight > ways->weight[at] || (weight >= 0 && weight == ways->weight[at])) {
            ways->weight[at] = weight;
            ways->from[at] = (int)i;
        }
    }
}

static void run(struct ways *ways)
{
    size_t n = ways->frame->n;

    for (size_t i = 0; i < n; i++) {
        ways->weight[i] = outer_weight(ways, ways->frame->all[i].start);
        if (!ways->origin && ways->weight[i] < 0)
            ways->weight[i] = 0;
        ways->from[i] = NONE;
    }
    for (int64_t s = 1; s <= ways->iterations; s++)
        for (size_t i = 0; i < n; i++)
            step(ways, s, i);
}

/* ---- the way back ---- */

struct way {
    int64_t n;         /* edges */
    size_t *variables; /* the last first */
    const struct gcal_walk_serial *outside;
};

static void trace(const struct ways *ways, size_t to, struct way *way)
{
    const struct gcal_walk_chain *chain;
    const struct gcal_walk_link *link;
    int64_t s = ways->iterations;
    size_t i = to;
    int from = NONE;

    way->n = 0;
    way->variables[0] = i;
    while (s > 0 && (from = ways->from[(size_t)s * ways->frame->n + i]) != NONE) {
        i = (size_t)from;
        way->variables[++way->n] = i;
        s--;
    }
    chain = s > 0 ? ways->frame->all[i].end : ways->frame->all[i].start;
    link = gcal_walk_chain_find(chain, ways->origin);
    way->outside = link ? link->path : NULL;
}

static const struct gcal_walk_serial *edge(const struct ways *ways, const struct way *way,
                                           int64_t i)
{
    const struct gcal_walk_serial *path;

    inner(ways, way->variables[i + 1], way->variables[i], &path);
    return path;
}

/* The cycle of 'length' edges from 'first' on that weighs most per edge; 0: there is none. */
static int64_t find_cycle(const struct ways *ways, const struct way *way, int64_t *first)
{
    double best = 0;
    int64_t length = 0;

    for (int64_t a = 0; a < way->n; a++) {
        double weight = 0;

        for (int64_t b = a + 1; b <= way->n; b++) {
            weight += gcal_walk_serial_weight(edge(ways, way, b - 1));
            if (way->variables[b] != way->variables[a])
                continue;
            if (weight / (double)(b - a) > best) {
                best = weight / (double)(b - a);
                *first = a;
                length = b - a;
            }
            break;
        }
    }
    return length;
}

struct repeated {
    int64_t first, length, times; /* of the cycle, the last first */
    const struct gcal_poly *more; /* iterations that were not run; NULL: none */
    double nominal;
};

static void count_repeats(const struct way *way, struct repeated *r)
{
    int64_t at = r->first + r->length;

    r->times = 1;
    while (r->length && at + r->length <= way->n) {
        for (int64_t i = 0; i <= r->length; i++)
            if (way->variables[at + i] != way->variables[r->first + i])
                return;
        at += r->length;
        r->times++;
    }
}

static const struct gcal_walk_serial *
join_edges(struct gcal_walk *w, const struct ways *ways, const struct way *way,
           int64_t first, int64_t last, const struct gcal_walk_serial *path)
{
    for (int64_t i = last; i-- > first;)
        path = gcal_walk_serial_join(w, path, edge(ways, way, i), NULL, 1);
    return path;
}

/* The path along a way, with its cycle repeated. */
static const struct gcal_walk_serial *path_along(struct gcal_walk *w,
                                                 const struct ways *ways,
                                                 const struct way *way,
                                                 const struct repeated *r)
{
    int64_t end = r->first + r->times * r->length;
    const struct gcal_walk_serial *path = way->outside, *cycle;
    const struct gcal_poly *times = gcal_poly_integer(w->c, r->times);
    double nominal = (double)r->times;

    if (!r->length)
        return join_edges(w, ways, way, 0, way->n, path);
    path = join_edges(w, ways, way, end, way->n, path);
    cycle = join_edges(w, ways, way, r->first, r->first + r->length, NULL);
    if (r->more) {
        times = gcal_poly_add(w->c, times, gcal_poly_scale(w->c, r->more, 1, r->length));
        nominal += r->nominal / (double)r->length;
    }
    path = gcal_walk_serial_join(w, path, cycle, times, nominal);
    return join_edges(w, ways, way, 0, r->first, path);
}

/* ---- after all iterations ---- */

/* Trips of a loop for the work-item that does most, of a loop in loops: on average. */
static const struct gcal_poly *mean_trips(struct gcal_walk *w,
                                          const struct gcal_poly *trips)
{
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1);

    for (const struct gcal_sets_scope *s = w->scope; s; s = s->parent)
        if (s->kind == GCAL_SETS_SCOPE_LOOP && gcal_poly_contains(w->c, trips, s->loop))
            trips = gcal_poly_substitute(
                w->c, trips, s->loop,
                gcal_poly_scale(w->c, gcal_poly_sub(w->c, s->trips, one), 1,
                                gcal_poly_contains_nested(w->c, trips, s->loop) ? 1 : 2));
    for (size_t d = 0; d < 2 * w->nest->n_dims; d++) {
        bool local = d < w->nest->n_dims;
        size_t axis = local ? d : d - w->nest->n_dims;
        unsigned atom =
            gcal_poly_atom_index(local ? w->nest->lid[axis] : w->nest->gid[axis]);
        const struct gcal_poly *size =
            local ? gcal_poly_integer(w->c, w->nest->local_size[axis])
                  : w->nest->groups[axis];
        const struct gcal_poly *low, *high;

        if (!gcal_poly_contains(w->c, trips, atom))
            continue;
        low = gcal_poly_substitute(w->c, trips, atom, gcal_poly_integer(w->c, 0));
        high = gcal_poly_substitute(w->c, trips, atom, gcal_poly_sub(w->c, size, one));
        trips = gcal_poly_max(w->c, low, high);
    }
    return trips;
}

/* The paths of all variables from one origin outside, after all iterations. */
static void finish_origin(struct gcal_walk *w, const struct gcal_walk_chain_loop *frame,
                          unsigned origin, const struct gcal_poly *trips,
                          struct gcal_walk_chain **after)
{
    struct ways ways = { .frame = frame, .origin = origin };
    struct repeated r = { 0 };
    size_t n = frame->n;
    struct way way = { 0 };
    int64_t number = TYPICAL_TRIPS,
            most = n < MOST_RUN / 3 ? 3 * (int64_t)n + 4 : MOST_RUN;
    bool is_number = gcal_poly_is_constant(trips, &number);

    ways.iterations = is_number && number < most ? (number > 0 ? number : 0) : most;
    ways.weight = calloc((size_t)(ways.iterations + 1) * n, sizeof(*ways.weight));
    ways.from = calloc((size_t)(ways.iterations + 1) * n, sizeof(*ways.from));
    way.variables = calloc((size_t)ways.iterations + 1, sizeof(*way.variables));
    if (ways.weight && ways.from && way.variables) {
        run(&ways);
        if (!is_number || number > most) {
            r.more = gcal_poly_sub(w->c, trips, gcal_poly_integer(w->c, most));
            r.nominal = (double)(number > most ? number - most : 0);
        }
        for (size_t i = 0; i < n && !w->chains.lost; i++) {
            if (ways.weight[(size_t)ways.iterations * n + i] < 0)
                continue;
            trace(&ways, i, &way);
            r.length = find_cycle(&ways, &way, &r.first);
            count_repeats(&way, &r);
            gcal_walk_chain_put(
                after[i], (struct gcal_walk_link){
                              .origin = origin, .path = path_along(w, &ways, &way, &r) });
        }
    } else {
        gcal_walk_fail_memory(w);
    }
    free(ways.weight);
    free(ways.from);
    free(way.variables);
}

/* Elements that an iteration changes, each once. */
static void add_elements(struct gcal_walk *w, const struct carried *c,
                         struct gcal_walk_chain *after)
{
    static const struct gcal_walk_chain none = { .n = 1 };
    const struct gcal_walk_chain *start = c->start ? c->start : &none;
    const struct gcal_walk_link *own = gcal_walk_chain_find(c->end, c->origin);

    for (size_t i = 0; own && own->once && i < start->n; i++)
        gcal_walk_chain_put(after, (struct gcal_walk_link){
                                       .origin = start->all[i].origin,
                                       .path = gcal_walk_serial_join(
                                           w, start->all[i].path, own->path, NULL, 1) });
}

static void set_after(struct gcal_walk *w, struct gcal_walk_chain_loop *frame,
                      const struct gcal_poly *trips)
{
    struct gcal_walk_chain *after[MOST_CARRIED];
    unsigned origins[GCAL_WALK_MOST_ORIGINS];
    /* The origins outside that any of the variables follow from. */
    size_t n = 1;

    origins[0] = 0;
    for (size_t i = 0; i < 2 * frame->n; i++) {
        const struct carried *c = &frame->all[i / 2];
        const struct gcal_walk_chain *chain = i % 2 ? c->start : c->end;

        for (size_t k = 0; chain && k < chain->n; k++) {
            unsigned origin = chain->all[k].origin;
            size_t known = 0;

            while (known < n && origins[known] != origin)
                known++;
            if (known == n && origin <= frame->n_origins && n < GCAL_WALK_MOST_ORIGINS)
                origins[n++] = origin;
        }
    }

    for (size_t i = 0; i < frame->n; i++)
        if (!(after[i] = gcal_walk_chain_new(w)))
            return;
    for (size_t i = 0; i < n && !w->chains.lost; i++)
        finish_origin(w, frame, origins[i], trips, after);
    for (size_t i = 0; i < frame->n && !w->chains.lost; i++)
        add_elements(w, &frame->all[i], after[i]);
    for (size_t i = 0; i < frame->n; i++)
        entry_of(w, &frame->all[i])->chain =
            frame->all[i].end == frame->all[i].first ? frame->all[i].start : after[i];
}

void gcal_walk_chain_leave(struct gcal_walk *w, struct gcal_walk_chain_loop *frame,
                           const struct gcal_poly *trips)
{
    if (!frame)
        return;
    for (size_t i = 0; i < frame->n; i++)
        frame->all[i].end = entry_of(w, &frame->all[i])->chain;
    if (!w->chains.lost && !w->failed)
        set_after(w, frame, mean_trips(w, trips));
    for (size_t i = frame->n_entries; i < w->chains.n; i++) /* of variables of the body */
        w->chains.all[i].chain = NULL;
    w->chains.loop = frame->outer;
    free(frame);
}
