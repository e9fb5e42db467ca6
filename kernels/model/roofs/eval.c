/* eval.c - the times of roofs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/model.h"
#include "kernels/model/roofs/roofs.h"

struct gcal_roofs_program {
    size_t n;
    char **names;
    struct gcal_model_parts *parts;
};

void gcal_roofs_program_destroy(struct gcal_roofs_program *program)
{
    if (!program)
        return;
    gcal_model_parts_destroy(program->parts);
    gcal_strings_free(program->names, program->n);
    free(program);
}

static int compile(struct gcal_roofs_program *p, const struct gcal_roofs *roofs,
                   const struct gcal_expr_names *names, const struct gcal_model *model,
                   struct gcal_error *err)
{
    const char *texts[GCAL_ROOFS_MAX];
    size_t failed;

    if (!(p->names = calloc(roofs->n + 1, sizeof(*p->names))))
        return gcal_error_memory(err);
    for (; p->n < roofs->n; p->n++) {
        texts[p->n] = roofs->roofs[p->n].expression;
        if (!(p->names[p->n] = strdup(roofs->roofs[p->n].name)))
            return gcal_error_memory(err);
    }
    if ((p->parts = gcal_model_parts_create(model, names, p->n, texts, &failed, err)))
        return 0;
    return p->n ? gcal_error_prefix(err, "roof '%.60s'", p->names[failed]) : -1;
}

struct gcal_roofs_program *gcal_roofs_compile(const struct gcal_roofs *roofs,
                                              const struct gcal_expr_names *names,
                                              const struct gcal_model *model,
                                              struct gcal_error *err)
{
    struct gcal_roofs_program *p = calloc(1, sizeof(*p));

    if (!p) {
        gcal_error_memory(err);
        return NULL;
    }
    if (compile(p, roofs, names, model, err) == 0)
        return p;
    gcal_roofs_program_destroy(p);
    return NULL;
}

size_t gcal_roofs_count(const struct gcal_roofs_program *program)
{
    return program->n;
}

const char *gcal_roofs_name(const struct gcal_roofs_program *program, size_t i)
{
    return program->names[i];
}

const struct gcal_model_parts *gcal_roofs_parts(const struct gcal_roofs_program *program)
{
    return program->parts;
}

size_t gcal_roofs_longest(const struct gcal_roofs_program *program, double *seconds)
{
    size_t found = program->n;
    double longest = 0;

    for (size_t i = 0; i < program->n; i++) {
        if (!isfinite(seconds[i]))
            seconds[i] = 0;
        if (seconds[i] > longest) {
            longest = seconds[i];
            found = i;
        }
    }
    return found;
}
