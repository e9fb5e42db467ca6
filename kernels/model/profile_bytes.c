/* profile_bytes.c - profiles as bytes, for caches and copies */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile_private.h"

/* ---- out ---- */

static void put_texts(struct gcal_buf *buf, size_t n, char *const *texts)
{
    for (size_t i = 0; i < n; i++)
        gcal_wire_put_text(buf, texts[i]);
}

static void put_entry(struct gcal_buf *buf, const struct gcal_profile_entry *e)
{
    char *const texts[] = { e->feature, e->count, e->dtype, e->op,
                            e->tag,     e->array, e->afr,   e->afr_premise };
    const uint32_t numbers[] = { e->kind,      e->granularity,    e->estimated,
                                 e->way,       e->host,           e->space,
                                 e->direction, (uint32_t)e->line, (uint32_t)e->column };

    put_texts(buf, sizeof(texts) / sizeof(*texts), texts);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        gcal_wire_put_u32(buf, numbers[i]);
    gcal_wire_put_u64(buf, e->vector_width);
    gcal_wire_put_u64(buf, e->bank_ways);
    put_texts(buf, GCAL_MAX_DIMS, e->lid_stride);
    put_texts(buf, GCAL_MAX_DIMS, e->gid_stride);
    gcal_wire_put_u64(buf, e->n_loop_strides);
    for (size_t i = 0; i < e->n_loop_strides; i++) {
        gcal_wire_put_text(buf, e->loop_strides[i].loop);
        gcal_wire_put_text(buf, e->loop_strides[i].stride);
    }
}

bool gcal_profile_same_entry(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b)
{
    struct gcal_buf x = { 0 }, y = { 0 };
    bool same = a->kind == b->kind && strcmp(a->feature, b->feature) == 0 &&
                strcmp(a->count, b->count) == 0;

    if (same) {
        put_entry(&x, a);
        put_entry(&y, b);
        same = !x.failed && !y.failed && x.size == y.size &&
               memcmp(x.data, y.data, x.size) == 0;
    }
    gcal_buf_free(&x);
    gcal_buf_free(&y);
    return same;
}

void gcal_profile_put(struct gcal_buf *buf, const struct gcal_profile *p)
{
    char *const texts[] = { p->kernel, p->source_hash, p->fingerprint, p->origin,
                            p->assumptions };

    put_texts(buf, sizeof(texts) / sizeof(*texts), texts);
    gcal_wire_put_u64(buf, p->n_parameters);
    put_texts(buf, p->n_parameters, p->parameters);
    gcal_wire_put_u64(buf, p->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        gcal_wire_put_u64(buf, p->local_size[d]);
    put_texts(buf, GCAL_MAX_DIMS, p->groups);
    gcal_wire_put_u64(buf, p->n_banks);
    gcal_wire_put_u64(buf, p->sector_bytes);
    gcal_wire_put_u32(buf, p->divergence);
    gcal_wire_put_u32(buf, p->index_arithmetic);
    gcal_wire_put_u32(buf, p->estimated);
    gcal_wire_put_u64(buf, p->n_notes);
    put_texts(buf, p->n_notes, p->notes);
    gcal_wire_put_u64(buf, p->n_entries);
    for (size_t i = 0; i < p->n_entries; i++)
        put_entry(buf, &p->entries[i]);
    gcal_wire_put_u64(buf, p->n_arguments);
    for (size_t i = 0; i < p->n_arguments; i++) {
        gcal_wire_put_text(buf, p->arguments[i].name);
        gcal_wire_put_u32(buf, p->arguments[i].space);
        gcal_wire_put_text(buf, p->arguments[i].bytes);
    }
    gcal_wire_put_u64(buf, p->n_built);
    for (size_t i = 0; i < p->n_built; i++) {
        gcal_wire_put_text(buf, p->built[i].device);
        gcal_wire_put_u64(buf, p->built[i].built.registers);
        gcal_wire_put_u64(buf, p->built[i].built.private_bytes);
        gcal_wire_put_u64(buf, p->built[i].built.work_group_size);
        gcal_wire_put_u64(buf, p->built[i].built.multiple);
    }
}

/* ---- in ---- */

/* Room for as many items as '*n' gets, at least one; each takes 4 bytes or more. */
static void *get_items(struct gcal_wire *wire, size_t *n, size_t item_bytes)
{
    uint64_t count = gcal_wire_get_u64(wire);
    void *items;

    if (count > wire->left / 4)
        wire->bad = true;
    *n = 0;
    if (wire->bad || !(items = calloc((size_t)count + 1, item_bytes))) {
        wire->bad = true;
        return NULL;
    }
    *n = (size_t)count;
    return items;
}

static void get_texts(struct gcal_wire *wire, size_t n, char **texts)
{
    for (size_t i = 0; i < n; i++)
        texts[i] = gcal_wire_get_text(wire);
}

static unsigned get_below(struct gcal_wire *wire, unsigned limit)
{
    uint32_t value = gcal_wire_get_u32(wire);

    wire->bad = wire->bad || value >= limit;
    return wire->bad ? 0 : value;
}

static void get_entry(struct gcal_wire *wire, struct gcal_profile_entry *e)
{
    char **const texts[] = { &e->feature, &e->count, &e->dtype, &e->op,
                             &e->tag,     &e->array, &e->afr,   &e->afr_premise };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i] = gcal_wire_get_text(wire);
    e->kind = get_below(wire, GCAL_FEATURE_N_KINDS);
    e->granularity = get_below(wire, GCAL_FEATURE_PER_KERNEL + 1);
    e->estimated = get_below(wire, 2);
    e->way = get_below(wire, GCAL_FEATURE_FROM_DEVICE + 1);
    e->host = get_below(wire, GCAL_FEATURE_MAPPED + 1);
    e->space = get_below(wire, GCAL_FEATURE_N_SPACES);
    e->direction = get_below(wire, GCAL_FEATURE_STORE + 1);
    e->line = (int)gcal_wire_get_u32(wire);
    e->column = (int)gcal_wire_get_u32(wire);
    e->vector_width = gcal_wire_get_u64(wire);
    e->bank_ways = gcal_wire_get_u64(wire);
    get_texts(wire, GCAL_MAX_DIMS, e->lid_stride);
    get_texts(wire, GCAL_MAX_DIMS, e->gid_stride);
    e->loop_strides = get_items(wire, &e->n_loop_strides, sizeof(*e->loop_strides));
    for (size_t i = 0; i < e->n_loop_strides; i++) {
        e->loop_strides[i].loop = gcal_wire_get_text(wire);
        e->loop_strides[i].stride = gcal_wire_get_text(wire);
    }
}

static void get_profile(struct gcal_wire *wire, struct gcal_profile *p)
{
    char **const texts[] = { &p->kernel, &p->source_hash, &p->fingerprint, &p->origin,
                             &p->assumptions };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i] = gcal_wire_get_text(wire);
    p->parameters = get_items(wire, &p->n_parameters, sizeof(*p->parameters));
    get_texts(wire, p->n_parameters, p->parameters);
    p->n_dims = gcal_wire_get_u64(wire);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        p->local_size[d] = gcal_wire_get_u64(wire);
    get_texts(wire, GCAL_MAX_DIMS, p->groups);
    p->n_banks = gcal_wire_get_u64(wire);
    p->sector_bytes = gcal_wire_get_u64(wire);
    p->divergence = get_below(wire, 2);
    p->index_arithmetic = get_below(wire, 2);
    p->estimated = get_below(wire, 2);
    p->notes = get_items(wire, &p->n_notes, sizeof(*p->notes));
    get_texts(wire, p->n_notes, p->notes);
    uint64_t n = gcal_wire_get_u64(wire);

    for (uint64_t i = 0; i < n && !wire->bad; i++) {
        struct gcal_profile_entry *entry = gcal_profile_add(p, NULL);

        if (entry)
            get_entry(wire, entry);
        else
            wire->bad = true;
    }
    p->arguments = get_items(wire, &p->n_arguments, sizeof(*p->arguments));
    for (size_t i = 0; i < p->n_arguments; i++) {
        p->arguments[i].name = gcal_wire_get_text(wire);
        p->arguments[i].space = get_below(wire, GCAL_FEATURE_N_SPACES);
        p->arguments[i].bytes = gcal_wire_get_text(wire);
    }
    p->built = get_items(wire, &p->n_built, sizeof(*p->built));
    for (size_t i = 0; i < p->n_built; i++) {
        p->built[i].device = gcal_wire_get_text(wire);
        p->built[i].built.registers = gcal_wire_get_u64(wire);
        p->built[i].built.private_bytes = gcal_wire_get_u64(wire);
        p->built[i].built.work_group_size = gcal_wire_get_u64(wire);
        p->built[i].built.multiple = gcal_wire_get_u64(wire);
    }
    wire->bad = wire->bad || p->n_dims > GCAL_MAX_DIMS;
}

struct gcal_profile *gcal_profile_get(struct gcal_wire *wire)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));

    if (!profile) {
        wire->bad = true;
        return NULL;
    }
    get_profile(wire, profile);
    if (!wire->bad)
        return profile;
    gcal_profile_destroy(profile);
    return NULL;
}

struct gcal_profile *gcal_profile_copy(const struct gcal_profile *profile,
                                       struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    struct gcal_profile *copy = NULL;
    struct gcal_wire wire;

    gcal_profile_put(&buf, profile);
    if (!buf.failed) {
        wire = gcal_wire_open(buf.data, buf.size);
        copy = gcal_profile_get(&wire);
    }
    gcal_buf_free(&buf);
    if (!copy)
        gcal_error_memory(err);
    return copy;
}
