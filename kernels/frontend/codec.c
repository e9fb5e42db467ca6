/* codec.c - what the front end's process is asked, and its answers, as bytes */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/frontend/private.h"

/* Both directions of a field of a structure: it is put into 'buf' if there is one, else got. */
#define CODE_NUMBER(c, field)                                                            \
    ((c).buf ? gcal_wire_put_u64((c).buf, (uint64_t)(field))                             \
             : (void)((field) = (__typeof__(field))gcal_wire_get_u64((c).wire)))
#define CODE_TEXT(c, field)                                                              \
    ((c).buf ? gcal_wire_put_text((c).buf, (field))                                      \
             : (void)((field) = gcal_wire_get_text((c).wire)))

/* An array of '*n' items.  Of those to get the message says how many, each of at least a
 * byte; NULL, and a bad wire, if it says more than it has, or without memory.
 */
static void *code_array(struct gcal_frontend_codec c, const void *items, size_t *n,
                        size_t item)
{
    void *array;

    CODE_NUMBER(c, *n);
    if (c.buf)
        return (void *)items;
    if (c.wire->bad || *n > c.wire->left || !(array = calloc(*n + 1, item))) {
        c.wire->bad = true;
        *n = 0;
        return NULL;
    }
    return array;
}

/* ---- the request ---- */

void gcal_frontend_code_request(struct gcal_frontend_codec c,
                                struct gcal_count_request *r)
{
    struct gcal_count_trips *trips;
    struct gcal_count_buffer *buffers;

    CODE_TEXT(c, r->source);
    CODE_TEXT(c, r->file);
    CODE_NUMBER(c, r->language);
    CODE_TEXT(c, r->kernel);
    CODE_TEXT(c, r->build_options);
    CODE_TEXT(c, r->assume);
    CODE_NUMBER(c, r->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        CODE_NUMBER(c, r->local_size[d]);
        CODE_TEXT(c, r->global_size[d]);
    }
    CODE_NUMBER(c, r->sub_group_size);
    CODE_NUMBER(c, r->n_banks);
    CODE_NUMBER(c, r->sector_bytes);
    CODE_NUMBER(c, r->index_arithmetic);
    CODE_NUMBER(c, r->allow_estimates);
    CODE_NUMBER(c, r->estimate_passes);
    CODE_NUMBER(c, r->samples_places);
    CODE_NUMBER(c, r->budget_divisor);
    r->trips = trips = code_array(c, r->trips, &r->n_trips, sizeof(*trips));
    for (size_t i = 0; i < r->n_trips; i++) {
        CODE_NUMBER(c, trips[i].line);
        CODE_TEXT(c, trips[i].parameter);
    }
    r->buffers = buffers = code_array(c, r->buffers, &r->n_buffers, sizeof(*buffers));
    for (size_t i = 0; i < r->n_buffers; i++) {
        struct gcal_count_buffer *b = &buffers[i];

        CODE_TEXT(c, b->argument);
        CODE_TEXT(c, b->elements);
        CODE_NUMBER(c, b->bytes);
        CODE_NUMBER(c, b->channels);
        CODE_TEXT(c, b->first);
        CODE_TEXT(c, b->last);
        CODE_NUMBER(c, b->sorted);
        CODE_TEXT(c, b->dtype);
        if (c.buf)
            gcal_wire_put_bytes(c.buf, b->data, b->data_bytes);
        else if (b->data = gcal_wire_get_bytes(c.wire, &b->data_bytes), !b->data_bytes)
            b->data = NULL;
    }
}

void gcal_frontend_put_request(struct gcal_buf *buf, const struct gcal_count_request *r)
{
    struct gcal_count_request copy = *r;

    gcal_frontend_code_request((struct gcal_frontend_codec){ .buf = buf }, &copy);
}

/* ---- answers ---- */

void gcal_frontend_put_error(struct gcal_buf *buf, const struct gcal_error *err)
{
    gcal_wire_put_u32(buf, err->code);
    gcal_wire_put_u32(buf, err->reason);
    gcal_wire_put_text(buf, err->text);
}

void gcal_frontend_get_error(struct gcal_wire *wire, struct gcal_error *err)
{
    enum gcal_error_code code = gcal_wire_get_u32(wire);
    enum gcal_error_reason reason = gcal_wire_get_u32(wire);
    char *text = gcal_wire_get_text(wire);

    gcal_error_set(err, code, "%s", text ? text : "the front end failed");
    gcal_error_because(err, reason);
    free(text);
}

static void code_strings(struct gcal_frontend_codec c, struct gcal_strings *strings)
{
    size_t n = strings->n;

    CODE_NUMBER(c, n);
    for (size_t i = 0; i < n; i++)
        if (c.buf)
            gcal_wire_put_text(c.buf, strings->items[i]);
        else if (c.wire->bad ||
                 gcal_strings_take(strings, gcal_wire_get_text(c.wire), NULL) < 0) {
            c.wire->bad = true;
            break;
        }
}

void gcal_frontend_code_description(struct gcal_frontend_codec c,
                                    struct gcal_count_description *d)
{
    code_strings(c, &d->kernels);
    CODE_NUMBER(c, d->selected);
    code_strings(c, &d->arguments);
    code_strings(c, &d->sizes);
    CODE_NUMBER(c, d->n_dims);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        CODE_NUMBER(c, d->local_size[i]);
    CODE_NUMBER(c, d->launch.line);
    CODE_NUMBER(c, d->launch.n_dims);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++) {
        CODE_NUMBER(c, d->launch.block[i]);
        CODE_TEXT(c, d->launch.grid[i]);
    }
}

void gcal_frontend_put_description(struct gcal_buf *buf,
                                   const struct gcal_count_description *d)
{
    struct gcal_count_description copy = *d;

    gcal_frontend_code_description((struct gcal_frontend_codec){ .buf = buf }, &copy);
}

void gcal_frontend_get_description(struct gcal_wire *wire,
                                   struct gcal_count_description *d)
{
    *d = (struct gcal_count_description){ 0 };
    gcal_frontend_code_description((struct gcal_frontend_codec){ .wire = wire }, d);
}

void gcal_frontend_code_signature(struct gcal_frontend_codec c,
                                  struct gcal_count_signature *s)
{
    CODE_TEXT(c, s->kernel);
    CODE_TEXT(c, s->device_text);
    CODE_NUMBER(c, s->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        CODE_NUMBER(c, s->local_size[d]);
        CODE_TEXT(c, s->global_size[d]);
    }
    s->args = code_array(c, s->args, &s->n_args, sizeof(*s->args));
    for (size_t i = 0; i < s->n_args; i++) {
        struct gcal_count_signature_arg *arg = &s->args[i];

        CODE_TEXT(c, arg->name);
        CODE_TEXT(c, arg->type);
        CODE_NUMBER(c, arg->kind);
        CODE_TEXT(c, arg->dtype);
        CODE_TEXT(c, arg->members);
        CODE_NUMBER(c, arg->per_item);
        CODE_NUMBER(c, arg->read);
        CODE_NUMBER(c, arg->written);
        CODE_TEXT(c, arg->elements);
        CODE_TEXT(c, arg->unknown);
        CODE_NUMBER(c, arg->is_member);
        CODE_NUMBER(c, arg->offset);
        CODE_NUMBER(c, arg->n_extents);
        CODE_NUMBER(c, arg->is_layered);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            CODE_TEXT(c, arg->extents[d]);
    }
}

void gcal_frontend_code_loads(struct gcal_frontend_codec c,
                              struct gcal_remove_load_list *loads)
{
    if (!c.buf)
        gcal_remove_load_list_clear(loads);
    loads->items = code_array(c, loads->items, &loads->n, sizeof(*loads->items));
    if (!c.buf)
        loads->capacity = loads->n;
    for (size_t i = 0; i < loads->n; i++) {
        CODE_TEXT(c, loads->items[i].name);
        CODE_NUMBER(c, loads->items[i].is_own);
        CODE_TEXT(c, loads->items[i].with);
    }
}

void gcal_frontend_code_removal(struct gcal_frontend_codec c,
                                struct gcal_remove_options *removal)
{
    struct gcal_strings keep = { .n = removal->n_keep, .items = (char **)removal->keep };

    CODE_NUMBER(c, removal->form);
    code_strings(c, &keep);
    removal->n_keep = keep.n;
    removal->keep = (const char *const *)keep.items;
    CODE_NUMBER(c, removal->drop);
    CODE_NUMBER(c, removal->n_accumulators);
    CODE_NUMBER(c, removal->drop_barriers);
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

struct gcal_interp_arg *gcal_frontend_code_args(struct gcal_frontend_codec c, size_t *n,
                                                struct gcal_interp_arg *args)
{
    args = code_array(c, args, n, sizeof(*args));
    for (size_t i = 0; i < *n; i++) {
        bool is_given = args[i].data;

        CODE_TEXT(c, args[i].dtype);
        CODE_NUMBER(c, args[i].count);
        CODE_NUMBER(c, is_given);
        if (!c.buf)
            args[i].data = is_given ? args : NULL;
    }
    if (c.buf)
        gcal_frontend_put_contents(c.buf, *n, args);
    for (size_t i = 0; i < *n && c.wire; i++) {
        size_t size;
        void *data = gcal_wire_get_bytes(c.wire, &size);

        args[i].data = args[i].data ? data : NULL;
    }
    return args;
}
