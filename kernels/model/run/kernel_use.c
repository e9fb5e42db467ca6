/* kernel_use.c - lists of a kernel's uses */
#include "kernels/model/run/kernel_use.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"

#define USE(...) GCAL_FIELD(struct gcal_kernel_use, __VA_ARGS__)

static const char *const roles[] = { [GCAL_KERNEL_FITTED] = "fitted",
                                     [GCAL_KERNEL_TARGET] = "target",
                                     [GCAL_KERNEL_CHECK] = "check",
                                     NULL };

const struct gcal_field gcal_kernel_use_fields[] = {
    USE(TEXT, "model", model, NULL, "model that asked for the kernel"),
    USE(ENUM, "role", role, NULL, "what it is measured for", .values = roles),
    { 0 },
};

/* Of a use: the length of its model's name, and its role. */
#define LEAST_USE_BYTES 8

bool gcal_kernel_uses_have(const struct gcal_kernel_uses *uses, const char *model,
                           enum gcal_kernel_role role)
{
    for (size_t i = 0; i < uses->n; i++)
        if (uses->items[i].role == role && strcmp(uses->items[i].model, model) == 0)
            return true;
    return false;
}

int gcal_kernel_uses_add(struct gcal_kernel_uses *uses, const char *model,
                         enum gcal_kernel_role role, struct gcal_error *err)
{
    struct gcal_kernel_use *grown;
    char *copy;

    if (gcal_kernel_uses_have(uses, model, role))
        return 0;
    if (!(grown = gcal_array_grow(uses->items, uses->n, &uses->capacity, sizeof(*grown),
                                  err)))
        return -1;
    uses->items = grown;
    if (!(copy = strdup(model)))
        return gcal_error_memory(err);
    grown[uses->n++] = (struct gcal_kernel_use){ copy, role };
    return 0;
}

int gcal_kernel_uses_copy(struct gcal_kernel_uses *to,
                          const struct gcal_kernel_uses *from, struct gcal_error *err)
{
    for (size_t i = 0; i < from->n; i++)
        if (gcal_kernel_uses_add(to, from->items[i].model, from->items[i].role, err) < 0)
            return -1;
    return 0;
}

void gcal_kernel_uses_clear(struct gcal_kernel_uses *uses)
{
    for (size_t i = 0; i < uses->n; i++)
        gcal_fields_clear(gcal_kernel_use_fields, &uses->items[i]);
    free(uses->items);
    *uses = (struct gcal_kernel_uses){ 0 };
}

void gcal_kernel_uses_put(struct gcal_buf *buf, const struct gcal_kernel_uses *uses)
{
    gcal_wire_put_u64(buf, uses->n);
    for (size_t i = 0; i < uses->n; i++)
        gcal_fields_put(buf, gcal_kernel_use_fields, &uses->items[i]);
}

void gcal_kernel_uses_get(struct gcal_wire *wire, struct gcal_kernel_uses *uses)
{
    size_t count = gcal_fields_get_count(wire, LEAST_USE_BYTES);

    *uses = (struct gcal_kernel_uses){ .capacity = count };
    uses->items = gcal_fields_get_array(wire, count, sizeof(*uses->items));
    if (wire->bad)
        return;
    uses->n = count;
    for (size_t i = 0; i < count; i++)
        gcal_fields_get(wire, gcal_kernel_use_fields, &uses->items[i]);
}
