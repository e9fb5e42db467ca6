/* field.c - clearing, copying and encoding structs by their tables */
#include "kernels/model/run/field.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"

const char *gcal_field_key(const struct gcal_field *field)
{
    return field->key ? field->key : field->name;
}

size_t gcal_field_value_count(const char *const *values)
{
    size_t n = 0;

    while (values[n])
        n++;
    return n;
}

const char *gcal_field_value_name(const char *const *values, unsigned value)
{
    return value < gcal_field_value_count(values) ? values[value] : "unknown";
}

static bool is_text(const struct gcal_field *field)
{
    return field->type == GCAL_FIELD_TEXT || field->type == GCAL_FIELD_OPTIONAL_TEXT;
}

static size_t member_bytes(const struct gcal_field *field)
{
    switch (field->type) {
    case GCAL_FIELD_F64:
        return sizeof(double);
    case GCAL_FIELD_U64:
        return sizeof(uint64_t);
    case GCAL_FIELD_INT:
        return sizeof(int);
    case GCAL_FIELD_BOOL:
        return sizeof(bool);
    case GCAL_FIELD_ENUM:
        return sizeof(unsigned);
    default:
        return sizeof(char *);
    }
}

void gcal_fields_clear(const struct gcal_field *fields, void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++) {
        char **text = (void *)((char *)object + f->offset);

        if (!is_text(f))
            continue;
        free(*text);
        *text = NULL;
    }
}

int gcal_fields_copy(const struct gcal_field *fields, void *to, const void *from,
                     struct gcal_error *err)
{
    for (const struct gcal_field *f = fields; f->name; f++) {
        const void *source = (const char *)from + f->offset;
        void *target = (char *)to + f->offset;

        if (!is_text(f))
            memcpy(target, source, member_bytes(f));
        else if (*(char *const *)source &&
                 !(*(char **)target = strdup(*(char *const *)source)))
            return gcal_error_memory(err);
    }
    return 0;
}

/* ---- binary ---- */

static void put_member(struct gcal_buf *buf, enum gcal_field_type type,
                       const void *member)
{
    switch (type) {
    case GCAL_FIELD_TEXT:
        gcal_wire_put_text(buf, *(char *const *)member ? *(char *const *)member : "");
        break;
    case GCAL_FIELD_OPTIONAL_TEXT:
        gcal_wire_put_text(buf, *(char *const *)member);
        break;
    case GCAL_FIELD_F64:
        gcal_wire_put_f64(buf, *(const double *)member);
        break;
    case GCAL_FIELD_U64:
        gcal_wire_put_u64(buf, *(const uint64_t *)member);
        break;
    case GCAL_FIELD_INT:
        gcal_wire_put_u32(buf, (uint32_t) * (const int *)member);
        break;
    case GCAL_FIELD_BOOL:
        gcal_wire_put_u32(buf, *(const bool *)member);
        break;
    case GCAL_FIELD_ENUM:
        gcal_wire_put_u32(buf, *(const unsigned *)member);
        break;
    }
}

void gcal_fields_put(struct gcal_buf *buf, const struct gcal_field *fields,
                     const void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++)
        put_member(buf, f->type, (const char *)object + f->offset);
}

/* A number below 'count', else 0 with wire->bad. */
static unsigned get_below(struct gcal_wire *wire, size_t count)
{
    uint32_t value = gcal_wire_get_u32(wire);

    if (value >= count)
        wire->bad = true;
    return wire->bad ? 0 : value;
}

static void get_member(struct gcal_wire *wire, const struct gcal_field *field,
                       void *member)
{
    switch (field->type) {
    case GCAL_FIELD_TEXT:
        if (!(*(char **)member = gcal_wire_get_text(wire)))
            wire->bad = true;
        break;
    case GCAL_FIELD_OPTIONAL_TEXT:
        *(char **)member = gcal_wire_get_text(wire);
        break;
    case GCAL_FIELD_F64:
        *(double *)member = gcal_wire_get_f64(wire);
        break;
    case GCAL_FIELD_U64:
        *(uint64_t *)member = gcal_wire_get_u64(wire);
        break;
    case GCAL_FIELD_INT:
        *(int *)member = (int)gcal_wire_get_u32(wire);
        break;
    case GCAL_FIELD_BOOL:
        *(bool *)member = get_below(wire, 2) == 1;
        break;
    case GCAL_FIELD_ENUM:
        *(unsigned *)member = get_below(wire, gcal_field_value_count(field->values));
        break;
    }
}

void gcal_fields_get(struct gcal_wire *wire, const struct gcal_field *fields,
                     void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++)
        get_member(wire, f, (char *)object + f->offset);
}

size_t gcal_fields_get_count(struct gcal_wire *wire, size_t item_bytes)
{
    uint64_t count = gcal_wire_get_u64(wire);

    if (count > wire->left / item_bytes)
        wire->bad = true;
    return wire->bad ? 0 : (size_t)count;
}

void *gcal_fields_get_array(struct gcal_wire *wire, size_t count, size_t item_bytes)
{
    void *items = calloc(count ? count : 1, item_bytes);

    if (!items)
        wire->bad = true;
    return items;
}
