/* program.c - memory of a program, and errors of translating and running it */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/interpret/private.h"

struct gcal_interp_block {
    struct gcal_interp_block *next;
    _Alignas(max_align_t) unsigned char data[];
};

void *gcal_interp_program_alloc(struct gcal_interp_translator *t, size_t size)
{
    struct gcal_interp_block *block = calloc(1, sizeof(*block) + size);

    if (!block) {
        gcal_error_memory(t->err);
        return NULL;
    }
    block->next = t->program->blocks;
    t->program->blocks = block;
    return block->data;
}

int gcal_interp_node_list_add(struct gcal_interp_translator *t,
                              struct gcal_interp_node_list *list,
                              struct gcal_interp_node *node)
{
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct gcal_interp_node **nodes =
            gcal_interp_program_alloc(t, capacity * sizeof(*nodes));

        if (!nodes)
            return -1;
        if (list->n)
            memcpy(nodes, list->nodes, list->n * sizeof(*nodes));
        list->nodes = nodes;
        list->capacity = capacity;
    }
    list->nodes[list->n++] = node;
    return 0;
}

char *gcal_interp_program_name(struct gcal_interp_translator *t, CXCursor cursor)
{
    char *name = t->unit->language == GCAL_SOURCE_CUDA &&
                         gcal_source_kind(cursor) == CXCursor_CallExpr
                     ? gcal_source_called_name(cursor, t->err)
                     : gcal_source_cursor_name(cursor, t->err),
         *copy;

    if (!name)
        return NULL;
    if ((copy = gcal_interp_program_alloc(t, strlen(name) + 1)))
        memcpy(copy, name, strlen(name) + 1);
    free(name);
    return copy;
}

struct gcal_interp_node *gcal_interp_node_create(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n = gcal_interp_program_alloc(t, sizeof(*n));

    if (!n)
        return NULL;
    n->type = type;
    n->name = "";
    gcal_source_location(at, &n->line, &n->column);
    return n;
}

void *gcal_interp_unsupported(struct gcal_interp_translator *t, CXCursor at,
                              const char *fmt, ...)
{
    char what[300];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    gcal_source_error(at, t->err, "%s is not supported when running on the host", what);
    return NULL;
}

int gcal_interp_enter(struct gcal_interp_translator *t, CXCursor at, size_t depth)
{
    t->depth += depth;
    if (t->depth > t->deepest)
        t->deepest = t->depth;
    if (t->depth <= GCAL_INTERP_MAX_DEPTH)
        return 0;
    gcal_interp_unsupported(t, at, "an expression nested this deep");
    return -1;
}

void gcal_interp_program_destroy(struct gcal_interp_program *program)
{
    if (!program)
        return;
    while (program->blocks) {
        struct gcal_interp_block *next = program->blocks->next;

        free(program->blocks);
        program->blocks = next;
    }
    free(program);
}

void gcal_interp_run_fail(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *at, const char *fmt, ...)
{
    struct gcal_interp_run *run = item->run;
    char text[600], where[200] = "";
    va_list args;
    int used = 0;

    if (run->failed)
        return;
    run->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (size_t d = 0; d < run->n_dims; d++)
        used += snprintf(where + used, sizeof(where) - (size_t)used, "%s%zu",
                         d ? ", " : " (work-item ",
                         run->group_id[d] * run->local_size[d] + item->local_id[d]);
    gcal_error_set(run->err, GCAL_EINPUT, "%s:%d:%d: %s%s%s", run->program->unit->file,
                   at->line, at->column, text, where, run->n_dims ? ")" : "");
}
