/* calls.c - the front end's functions for programs, each a question to its process */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/frontend/private.h"

/* Checks that an answer was read to its end, and frees it. */
static int finish(struct gcal_buf *answer, const struct gcal_wire *wire,
                  struct gcal_error *err)
{
    int rc = gcal_wire_done(wire, "the front end", err);

    gcal_buf_free(answer);
    return rc;
}

/* Asks for what follows from the request alone. */
static struct gcal_buf ask(enum gcal_frontend_call call,
                           const struct gcal_count_request *request,
                           struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;

    gcal_frontend_put_request(&question, request);
    answer = gcal_frontend_ask(call, request->file, &question, err);
    gcal_buf_free(&question);
    return answer;
}

struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err)
{
    struct gcal_buf answer = ask(GCAL_FRONTEND_COUNT, request, err);
    struct gcal_wire wire = gcal_wire_open(answer.data, answer.size);
    struct gcal_profile *profile;

    if (answer.failed)
        return NULL;
    profile = gcal_profile_get(&wire);
    if (finish(&answer, &wire, err) == 0)
        return profile;
    gcal_profile_destroy(profile);
    return NULL;
}

int gcal_count_signature_read(const struct gcal_count_request *request,
                              struct gcal_count_signature *signature,
                              struct gcal_error *err)
{
    struct gcal_buf answer = ask(GCAL_FRONTEND_SIGNATURE, request, err);
    struct gcal_wire wire = gcal_wire_open(answer.data, answer.size);

    *signature = (struct gcal_count_signature){ 0 };
    if (answer.failed)
        return -1;
    gcal_frontend_code_signature((struct gcal_frontend_codec){ .wire = &wire },
                                 signature);
    return finish(&answer, &wire, err);
}

int gcal_count_describe(const struct gcal_count_request *request,
                        struct gcal_count_description *description,
                        struct gcal_error *err)
{
    struct gcal_buf answer = ask(GCAL_FRONTEND_DESCRIBE, request, err);
    struct gcal_wire wire = gcal_wire_open(answer.data, answer.size);

    if (answer.failed)
        return -1;
    gcal_frontend_get_description(&wire, description);
    if (finish(&answer, &wire, err) == 0)
        return 0;
    gcal_count_description_clear(description);
    return -1;
}

/* The name of the element's type as callers keep it: one of gcal_dtype_name()'s. */
static const char *find_dtype(const char *name)
{
    for (size_t i = 0; name && gcal_dtype_name(i); i++)
        if (strcmp(gcal_dtype_name(i), name) == 0)
            return gcal_dtype_name(i);
    return NULL;
}

char *gcal_remove_work(const struct gcal_count_request *request,
                       const struct gcal_remove_options *removal,
                       struct gcal_remove_element *element, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    struct gcal_remove_options copy = *removal;
    struct gcal_wire wire;
    char *text, *dtype;

    gcal_frontend_put_request(&question, request);
    gcal_frontend_code_removal((struct gcal_frontend_codec){ .buf = &question }, &copy);
    answer = gcal_frontend_ask(GCAL_FRONTEND_REMOVE, request->file, &question, err);
    gcal_buf_free(&question);
    if (answer.failed)
        return NULL;
    wire = gcal_wire_open(answer.data, answer.size);
    text = gcal_wire_get_text(&wire);
    dtype = gcal_wire_get_text(&wire);
    if (element)
        element->dtype = find_dtype(dtype);
    free(dtype);
    if (element)
        element->n_lanes = gcal_wire_get_u64(&wire);
    else
        gcal_wire_get_u64(&wire);
    if (finish(&answer, &wire, err) == 0)
        return text;
    free(text);
    return NULL;
}

/* Both directions have the list: dependences are found for one that is there. */
static int ask_for_loads(enum gcal_frontend_call call,
                         const struct gcal_count_request *request,
                         struct gcal_remove_load_list *loads, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    struct gcal_wire wire;

    gcal_frontend_put_request(&question, request);
    gcal_frontend_code_loads((struct gcal_frontend_codec){ .buf = &question }, loads);
    answer = gcal_frontend_ask(call, request->file, &question, err);
    gcal_buf_free(&question);
    if (answer.failed)
        return -1;
    wire = gcal_wire_open(answer.data, answer.size);
    gcal_frontend_code_loads((struct gcal_frontend_codec){ .wire = &wire }, loads);
    return finish(&answer, &wire, err);
}

int gcal_remove_find_loads(const struct gcal_count_request *request,
                           struct gcal_remove_load_list *loads, struct gcal_error *err)
{
    return ask_for_loads(GCAL_FRONTEND_LOADS, request, loads, err);
}

int gcal_remove_find_load_dependences(const struct gcal_count_request *request,
                                      struct gcal_remove_load_list *loads,
                                      struct gcal_error *err)
{
    return ask_for_loads(GCAL_FRONTEND_LOAD_DEPENDENCES, request, loads, err);
}

/* Asks a question that ends in the arguments, whose contents come back. */
static int interpret(enum gcal_frontend_call call, const char *file,
                     struct gcal_buf *question, size_t n_args,
                     struct gcal_interp_arg *args, struct gcal_error *err)
{
    struct gcal_buf answer;
    struct gcal_wire wire;

    gcal_frontend_code_args((struct gcal_frontend_codec){ .buf = question }, &n_args,
                            args);
    answer = gcal_frontend_ask(call, file, question, err);
    gcal_buf_free(question);
    if (answer.failed)
        return -1;
    wire = gcal_wire_open(answer.data, answer.size);
    gcal_frontend_get_contents(&wire, n_args, args);
    return finish(&answer, &wire, err);
}

int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err)
{
    struct gcal_buf question = { 0 };

    gcal_frontend_put_request(&question, request);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        gcal_wire_put_u64(&question, d < request->n_dims ? global_size[d] : 0);
    return interpret(GCAL_FRONTEND_RUN_KERNEL, request->file, &question, n_args, args,
                     err);
}

int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err)
{
    struct gcal_buf question = { 0 };

    gcal_wire_put_text(&question, source);
    gcal_wire_put_text(&question, file);
    gcal_wire_put_text(&question, function);
    return interpret(GCAL_FRONTEND_RUN_FUNCTION, file, &question, n_args, args, err);
}
