/* facts.h - uses and origins of kernels, for tests */
#ifndef GCAL_TESTS_FACTS_H
#define GCAL_TESTS_FACTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/run/run_kernel.h"
#include "tests/unit.h"

/* "m,m:target,o:check"; valid until the next call. */
static inline const char *uses_text(const struct gcal_kernel_uses *uses)
{
    static const char *const roles[] = { "", ":target", ":check" };
    static char text[400];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < uses->n; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", i ? "," : "",
                                 uses->items[i].model, roles[uses->items[i].role]);
    return text;
}

/* One use in the place of all others. */
static inline void set_use(struct gcal_kernel_uses *uses, const char *model,
                           enum gcal_kernel_role role)
{
    gcal_kernel_uses_clear(uses);
    assert_int_equal(gcal_kernel_uses_add(uses, model, role, NULL), 0);
}

#endif
