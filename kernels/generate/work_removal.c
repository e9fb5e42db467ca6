/* work_removal.c - kernels of derived generators: the origin's with work removed */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/feature.h"
#include "kernels/generate/private.h"

/* The source with the work removed; NULL with 'err'. */
static char *remove_work(const struct gcal_generator_setting *s,
                         struct gcal_kernel *kernel, struct gcal_remove_element *element,
                         struct gcal_error *err)
{
    static const enum gcal_remove_form forms[] = {
        [GCAL_KERNEL_LOADS] = GCAL_REMOVE_KEEP_LOADS,
        [GCAL_KERNEL_ONCHIP] = GCAL_REMOVE_KEEP_ONCHIP,
        [GCAL_KERNEL_MEMORY] = GCAL_REMOVE_KEEP_MEMORY,
    };
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);
    /* The kernel's source with its trips as annotations, which a derived source keeps, while
     * lines change.
     */
    size_t prelude = strlen(gcal_source_tag_prelude); /* lines count from its end */
    const char *at = kernel->source + prelude;
    struct gcal_buf out = { 0 };
    int line = 1;

    gcal_buf_put(&out, kernel->source, prelude);
    for (size_t i = 0; i < kernel->n_trips; i++) {
        for (; line < kernel->trips[i].line && *at; line++) {
            size_t length = strcspn(at, "\n");

            length += at[length] == '\n';
            gcal_buf_put(&out, at, length);
            at += length;
        }
        gcal_buf_printf(&out, "#pragma gpucal trips %s\n", kernel->trips[i].parameter);
    }
    gcal_buf_puts(&out, at);
    const char *keep = gcal_generator_keep_value(s), *kept[GCAL_GENERATOR_MAX_KEPT];
    const char *accumulators = gcal_generator_setting_value(s, "accumulators");
    const char *barriers = gcal_generator_setting_value(s, "barriers");
    struct gcal_remove_options removal = { .form = forms[s->generator->form],
                                           .keep = kept };
    char *names = keep ? gcal_arena_strdup(kernel->arena, keep) : NULL, *text, *source;

    request.source = gcal_arena_take(kernel->arena, &out);
    request.n_trips = 0;
    if (accumulators && removal.form != GCAL_REMOVE_KEEP_ONCHIP)
        removal.n_accumulators = (size_t)atoi(accumulators);
    removal.drop_barriers = removal.form == GCAL_REMOVE_KEEP_MEMORY && barriers &&
                            strcmp(barriers, "False") == 0;
    while (keep && strcmp(keep, "all") != 0 && names &&
           removal.n_keep < GCAL_GENERATOR_MAX_KEPT)
        kept[removal.n_keep++] = strsep(&names, "+");
    if (!(text = gcal_remove_work(&request, &removal, element, err)))
        return NULL;
    source = gcal_arena_format(kernel->arena, "%s%s", gcal_source_tag_prelude, text);
    free(text);
    return source;
}

/* Adds the buffer of gcal_remove_work(): one element per work-item, and now the kernel's
 * only output.
 */
static void add_removed_arg(struct gcal_kernel *kernel,
                            const struct gcal_remove_element *element)
{
    struct gcal_arg *arg = &kernel->args[kernel->n_args++];
    struct gcal_buf value = { 0 };

    for (size_t i = 0; i + 1 < kernel->n_args; i++)
        kernel->args[i].output = false;
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&value, "%s(%s)", i ? "*" : "", kernel->global_size[i]);
    if (element->n_lanes > 1) /* vectors of 3 are stored as 4 */
        gcal_buf_printf(&value, "*%zu", element->n_lanes == 3 ? 4 : element->n_lanes);
    arg->kind = GCAL_ARG_BUFFER;
    arg->output =
        element->n_lanes != 3; /* whose padding each device leaves as it likes */
    arg->value = gcal_arena_take(kernel->arena, &value);
    arg->name = gcal_arena_strdup(kernel->arena, "read_tgt_dest");
    arg->dtype = gcal_arena_strdup(kernel->arena, element->dtype);
}

int gcal_kernel_remove_work(const struct gcal_generator_setting *s,
                            struct gcal_kernel *kernel,
                            const struct gcal_kernel_cache_entry *counted,
                            struct gcal_remove_element *element, struct gcal_error *err)
{
    char *source = counted ? gcal_arena_strdup(kernel->arena, counted->source)
                           : remove_work(s, kernel, element, err);

    if (!source)
        return -1;
    if (counted)
        *element = counted->element;
    kernel->source = source;
    kernel->n_trips = 0; /* they are annotations of the source now */
    if (element->dtype)
        add_removed_arg(kernel, element);
    return 0;
}
