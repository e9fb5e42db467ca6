/* observe.c - what an observer of a run sees */
#include "kernels/interpret/private.h"

uint64_t gcal_interp_observe_inner(uint64_t instance, const struct gcal_interp_node *at,
                                   uint64_t i)
{
    uint64_t words[] = { (uint64_t)(uintptr_t)at, i };

    for (size_t w = 0; w < 2; w++) { /* the finaliser of MurmurHash3 */
        instance += words[w] + 0x9e3779b97f4a7c15;
        instance = (instance ^ instance >> 33) * 0xff51afd7ed558ccd;
        instance = (instance ^ instance >> 33) * 0xc4ceb9fe1a85ec53;
        instance ^= instance >> 33;
    }
    return instance;
}

static void report(struct gcal_interp_work_item *item, const struct gcal_interp_node *at,
                   struct gcal_interp_execution *e)
{
    struct gcal_interp_run *run = item->run;
    size_t items = 1, groups = 1;

    for (size_t d = 0; d < run->n_dims; d++) {
        e->item += items * item->local_id[d];
        e->group += groups * run->group_id[d];
        items *= run->local_size[d];
        groups *= run->global_size[d] / run->local_size[d];
    }
    e->place = at;
    e->line = at->line;
    e->column = at->column;
    e->instance = item->instance;
    e->loop = item->loop;
    run->n_observed += (e->kind != GCAL_INTERP_EXECUTION_LOGIC || e->worked) &&
                       e->space != GCAL_FEATURE_SPACE_PRIVATE;
    run->observe(run->context, e);
}

static bool is_in(const struct gcal_interp_work_item *item,
                  enum gcal_interp_memory memory, const struct gcal_interp_pointer *p)
{
    const unsigned char *start = item->memory[memory];

    return p->base >= start && p->base < start + item->run->memory_size[memory];
}

void gcal_interp_observe_access(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *at,
                                const struct gcal_interp_pointer *p, size_t bytes,
                                bool store)
{
    bool is_private = is_in(item, GCAL_INTERP_MEMORY_PRIVATE, p);
    struct gcal_interp_execution e = {
        .kind = at->atomic ? GCAL_INTERP_EXECUTION_ATOMIC
                : store    ? GCAL_INTERP_EXECUTION_STORE
                           : GCAL_INTERP_EXECUTION_LOAD,
        .space = is_private                                  ? GCAL_FEATURE_SPACE_PRIVATE
                 : is_in(item, GCAL_INTERP_MEMORY_LOCAL, p)  ? GCAL_FEATURE_SPACE_LOCAL
                 : is_in(item, GCAL_INTERP_MEMORY_STATIC, p) ? GCAL_FEATURE_SPACE_CONSTANT
                                                             : GCAL_FEATURE_SPACE_GLOBAL,
        .base = p->base,
        .offset = p->offset,
        .bytes = bytes,
    };

    if (!at->unseen && (!is_private || (item->run->observes_privates && p->size > bytes)))
        report(item, at, &e);
}

void gcal_interp_observe_operation(struct gcal_interp_work_item *item,
                                   const struct gcal_interp_node *at)
{
    const struct gcal_interp_type *type = gcal_interp_type_lane(at->type);
    struct gcal_interp_execution e = { .bits = 8 * type->size,
                                       .lanes = type == at->type ? 1 : at->type->count };

    if (at->constant || !gcal_interp_is_float(type))
        return;
    switch (at->op) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        e.kind = GCAL_INTERP_EXECUTION_ADD;
        break;
    case CXBinaryOperator_Mul:
        e.kind = GCAL_INTERP_EXECUTION_MUL;
        break;
    case CXBinaryOperator_Div:
        e.kind = GCAL_INTERP_EXECUTION_DIV;
        break;
    default:
        if (!*at->name)
            return;
        e.kind = GCAL_INTERP_EXECUTION_CALL;
        e.name = at->name;
    }
    report(item, at, &e);
}

void gcal_interp_observe_branch(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *at, bool taken)
{
    struct gcal_interp_execution e = { .kind = GCAL_INTERP_EXECUTION_BRANCH,
                                       .taken = taken };

    report(item, at, &e);
}

void gcal_interp_observe_logic(struct gcal_interp_work_item *item,
                               const struct gcal_interp_node *at, bool taken,
                               uint64_t n_before)
{
    struct gcal_interp_execution e = { .kind = GCAL_INTERP_EXECUTION_LOGIC,
                                       .taken = taken,
                                       .worked = item->run->n_observed != n_before };

    report(item, at, &e);
}
