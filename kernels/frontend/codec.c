/* codec.c - what the front end's process is asked, and its answers, as bytes */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/frontend/private.h"

#define get_text(wire)      gcal_wire_get_text(wire)
#define put_text(buf, text) gcal_wire_put_text((buf), (text))

static void put_size(struct gcal_buf *buf, size_t size)
{
    gcal_wire_put_u64(buf, size);
}

static size_t get_size(struct gcal_wire *wire)
{
    return (size_t)gcal_wire_get_u64(wire);
}

/* An array for as many items as the message says, each of at least a byte; NULL, and a bad
 * wire, if it says more than it has, or without memory.
 */
static void *get_array(struct gcal_wire *wire, size_t *n, size_t item)
{
    void *array;

    *n = get_size(wire);
    if (wire->bad || *n > wire->left || !(array = calloc(*n + 1, item))) {
        wire->bad = true;
        *n = 0;
        return NULL;
    }
    return array;
}

/* ---- the request ---- */

void gcal_frontend_put_request(struct gcal_buf *buf, const struct gcal_count_request *r)
{
    put_text(buf, r->source);
    put_text(buf, r->file);
    put_text(buf, r->kernel);
    put_text(buf, r->build_options);
    put_text(buf, r->assume);
    put_size(buf, r->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        put_size(buf, r->local_size[d]);
        put_text(buf, r->global_size[d]);
    }
    put_size(buf, r->sub_group_size);
    put_size(buf, r->n_banks);
    put_size(buf, r->sector_bytes);
    put_size(buf, r->index_arithmetic);
    put_size(buf, r->allow_estimates);
    put_size(buf, r->estimate_passes);
    put_size(buf, r->budget_divisor);
    put_size(buf, r->n_trips);
    for (size_t i = 0; i < r->n_trips; i++) {
        gcal_wire_put_u32(buf, (uint32_t)r->trips[i].line);
        put_text(buf, r->trips[i].parameter);
    }
    put_size(buf, r->n_buffers);
    for (size_t i = 0; i < r->n_buffers; i++) {
        put_text(buf, r->buffers[i].argument);
        put_text(buf, r->buffers[i].elements);
        put_size(buf, r->buffers[i].bytes);
        gcal_wire_put_u32(buf, r->buffers[i].channels);
        put_text(buf, r->buffers[i].first);
        put_text(buf, r->buffers[i].last);
        put_size(buf, r->buffers[i].sorted);
        put_text(buf, r->buffers[i].dtype);
        gcal_wire_put_bytes(buf, r->buffers[i].data, r->buffers[i].data_bytes);
    }
}

struct gcal_count_request gcal_frontend_get_request(struct gcal_wire *wire)
{
    struct gcal_count_request r = { 0 };
    struct gcal_count_trips *trips;
    struct gcal_count_buffer *buffers;

    r.source = get_text(wire);
    r.file = get_text(wire);
    r.kernel = get_text(wire);
    r.build_options = get_text(wire);
    r.assume = get_text(wire);
    r.n_dims = get_size(wire);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        r.local_size[d] = get_size(wire);
        r.global_size[d] = get_text(wire);
    }
    r.sub_group_size = get_size(wire);
    r.n_banks = get_size(wire);
    r.sector_bytes = get_size(wire);
    r.index_arithmetic = get_size(wire);
    r.allow_estimates = get_size(wire);
    r.estimate_passes = get_size(wire);
    r.budget_divisor = get_size(wire);
    r.trips = trips = get_array(wire, &r.n_trips, sizeof(*trips));
    for (size_t i = 0; i < r.n_trips; i++) {
        trips[i].line = (int)gcal_wire_get_u32(wire);
        trips[i].parameter = get_text(wire);
    }
    r.buffers = buffers = get_array(wire, &r.n_buffers, sizeof(*buffers));
    for (size_t i = 0; i < r.n_buffers; i++) {
        buffers[i].argument = get_text(wire);
        buffers[i].elements = get_text(wire);
        buffers[i].bytes = get_size(wire);
        buffers[i].channels = gcal_wire_get_u32(wire);
        buffers[i].first = get_text(wire);
        buffers[i].last = get_text(wire);
        buffers[i].sorted = get_size(wire);
        buffers[i].dtype = get_text(wire);
        buffers[i].data = gcal_wire_get_bytes(wire, &buffers[i].data_bytes);
        if (!buffers[i].data_bytes)
            buffers[i].data = NULL;
    }
    return r;
}

/* ---- answers ---- */

void gcal_frontend_put_error(struct gcal_buf *buf, const struct gcal_error *err)
{
    gcal_wire_put_u32(buf, err->code);
    gcal_wire_put_u32(buf, err->reason);
    put_text(buf, err->text);
}

void gcal_frontend_get_error(struct gcal_wire *wire, struct gcal_error *err)
{
    enum gcal_error_code code = gcal_wire_get_u32(wire);
    enum gcal_error_reason reason = gcal_wire_get_u32(wire);
    char *text = get_text(wire);

    gcal_error_set(err, code, "%s", text ? text : "the front end failed");
    gcal_error_because(err, reason);
    free(text);
}

void gcal_frontend_put_strings(struct gcal_buf *buf, size_t n, const char *const *items)
{
    put_size(buf, n);
    for (size_t i = 0; i < n; i++)
        put_text(buf, items[i]);
}

void gcal_frontend_get_strings(struct gcal_wire *wire, struct gcal_strings *strings)
{
    size_t n = get_size(wire);

    for (size_t i = 0; i < n && !wire->bad; i++)
        if (gcal_strings_take(strings, get_text(wire), NULL) < 0)
            wire->bad = true;
}

static void put_list(struct gcal_buf *buf, const struct gcal_strings *strings)
{
    gcal_frontend_put_strings(buf, strings->n, (const char *const *)strings->items);
}

void gcal_frontend_put_description(struct gcal_buf *buf,
                                   const struct gcal_count_description *d)
{
    put_list(buf, &d->kernels);
    put_size(buf, d->selected);
    put_list(buf, &d->arguments);
    put_list(buf, &d->sizes);
    put_size(buf, d->n_dims);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        put_size(buf, d->local_size[i]);
}

void gcal_frontend_get_description(struct gcal_wire *wire,
                                   struct gcal_count_description *d)
{
    *d = (struct gcal_count_description){ 0 };
    gcal_frontend_get_strings(wire, &d->kernels);
    d->selected = get_size(wire);
    gcal_frontend_get_strings(wire, &d->arguments);
    gcal_frontend_get_strings(wire, &d->sizes);
    d->n_dims = get_size(wire);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        d->local_size[i] = get_size(wire);
}

void gcal_frontend_put_signature(struct gcal_buf *buf,
                                 const struct gcal_count_signature *s)
{
    put_text(buf, s->kernel);
    put_size(buf, s->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        put_size(buf, s->local_size[d]);
        put_text(buf, s->global_size[d]);
    }
    put_size(buf, s->n_args);
    for (size_t i = 0; i < s->n_args; i++) {
        const struct gcal_count_signature_arg *arg = &s->args[i];

        put_text(buf, arg->name);
        put_text(buf, arg->type);
        gcal_wire_put_u32(buf, arg->kind);
        put_text(buf, arg->dtype);
        put_size(buf, arg->per_item);
        put_size(buf, arg->read);
        put_size(buf, arg->written);
        put_text(buf, arg->elements);
        put_text(buf, arg->unknown);
        put_size(buf, arg->is_member);
        put_size(buf, arg->offset);
        put_size(buf, arg->n_extents);
        put_size(buf, arg->is_layered);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            put_text(buf, arg->extents[d]);
    }
}

void gcal_frontend_get_signature(struct gcal_wire *wire, struct gcal_count_signature *s)
{
    *s = (struct gcal_count_signature){ 0 };
    s->kernel = get_text(wire);
    s->n_dims = get_size(wire);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        s->local_size[d] = get_size(wire);
        s->global_size[d] = get_text(wire);
    }
    s->args = get_array(wire, &s->n_args, sizeof(*s->args));
    for (size_t i = 0; i < s->n_args; i++) {
        struct gcal_count_signature_arg *arg = &s->args[i];

        arg->name = get_text(wire);
        arg->type = get_text(wire);
        arg->kind = gcal_wire_get_u32(wire);
        arg->dtype = get_text(wire);
        arg->per_item = get_size(wire);
        arg->read = get_size(wire);
        arg->written = get_size(wire);
        arg->elements = get_text(wire);
        arg->unknown = get_text(wire);
        arg->is_member = get_size(wire);
        arg->offset = get_size(wire);
        arg->n_extents = get_size(wire);
        arg->is_layered = get_size(wire);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            arg->extents[d] = get_text(wire);
    }
}

void gcal_frontend_put_loads(struct gcal_buf *buf,
                             const struct gcal_remove_load_list *loads)
{
    put_size(buf, loads->n);
    for (size_t i = 0; i < loads->n; i++) {
        put_text(buf, loads->items[i].name);
        put_size(buf, loads->items[i].is_own);
        put_text(buf, loads->items[i].with);
    }
}

void gcal_frontend_get_loads(struct gcal_wire *wire, struct gcal_remove_load_list *loads)
{
    gcal_remove_load_list_clear(loads);
    loads->items = get_array(wire, &loads->n, sizeof(*loads->items));
    loads->capacity = loads->n;
    for (size_t i = 0; i < loads->n; i++) {
        loads->items[i].name = get_text(wire);
        loads->items[i].is_own = get_size(wire);
        loads->items[i].with = get_text(wire);
    }
}

/* ---- the interpreter's arguments ---- */

/* 0 for a __local argument, and for a type that the interpreter refuses. */
static size_t size_of(const struct gcal_interp_arg *arg)
{
    size_t size = arg->dtype ? gcal_dtype_size(arg->dtype) : 0;

    return !arg->data || (size && arg->count > SIZE_MAX / size) ? 0
           : arg->count                                         ? arg->count * size
                                                                : size;
}

void gcal_frontend_put_contents(struct gcal_buf *buf, size_t n,
                                const struct gcal_interp_arg *args)
{
    for (size_t i = 0; i < n; i++)
        gcal_wire_put_bytes(buf, args[i].data, size_of(&args[i]));
}

void gcal_frontend_get_contents(struct gcal_wire *wire, size_t n,
                                const struct gcal_interp_arg *args)
{
    for (size_t i = 0; i < n; i++) {
        size_t size;
        void *data = gcal_wire_get_bytes(wire, &size);

        if (size && size == size_of(&args[i]))
            memcpy(args[i].data, data, size);
        else if (size || size_of(&args[i]))
            wire->bad = true;
        free(data);
    }
}

void gcal_frontend_put_args(struct gcal_buf *buf, size_t n,
                            const struct gcal_interp_arg *args)
{
    put_size(buf, n);
    for (size_t i = 0; i < n; i++) {
        put_text(buf, args[i].dtype);
        put_size(buf, args[i].count);
        put_size(buf, args[i].data != NULL);
    }
    gcal_frontend_put_contents(buf, n, args);
}

struct gcal_interp_arg *gcal_frontend_get_args(struct gcal_wire *wire, size_t *n)
{
    struct gcal_interp_arg *args = get_array(wire, n, sizeof(*args));
    size_t size;

    for (size_t i = 0; i < *n; i++) {
        args[i].dtype = get_text(wire);
        args[i].count = get_size(wire);
        args[i].data = get_size(wire) ? args : NULL;
    }
    for (size_t i = 0; i < *n; i++) {
        void *data = gcal_wire_get_bytes(wire, &size);

        args[i].data = args[i].data ? data : NULL;
    }
    return args;
}
