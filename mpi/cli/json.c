/* json.c - JSON output of commands */
#include "mpi/cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/quiet.h"

json_t *gcal_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *gcal_json_sizes(size_t n, char *const *names, const double *values)
{
    json_t *object = json_object();

    for (size_t i = 0; i < n; i++)
        json_object_set_new(object, names[i], gcal_json_number(values[i]));
    return object;
}

/* The version of all schemas: a key that changes its meaning makes a new one. */
static void add_schema(json_t *object, const char *name)
{
    json_t *all = json_object();

    json_object_set_new(all, "schema", json_sprintf("gpucal-%s-1", name));
    json_object_update_missing(all, object); /* it comes first */
    json_object_clear(object);
    json_object_update(object, all);
    json_decref(all);
}

void gcal_json_print(json_t *document, const char *name)
{
    size_t i;
    json_t *item;

    if (json_is_object(document))
        add_schema(document, name);
    json_array_foreach(document, i, item) add_schema(item, name);
    gcal_quiet_keep_all();
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
}

char *gcal_json_text(json_t *document, size_t flags, struct gcal_error *err)
{
    char *dumped = json_dumps(document, flags);
    char *text = dumped ? gcal_buf_format("%s\n", dumped) : NULL;

    free(dumped);
    json_decref(document);
    if (!text)
        gcal_error_memory(err);
    return text;
}
