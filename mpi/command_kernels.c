/* command_kernels.c - gpucal kernels: what tags would generate, with counts */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "kernels/kernels.h"
#include "mpi/command.h"
#include "mpi/count_options.h"
#include "mpi/features.h"

struct kernels_command {
    size_t n_tags, capacity;
    const char **tags;
    enum gcal_match match;
    bool source, counts;
};

static const struct argp_option options[] = {
    { "match", 'm', "CONDITION", 0,
      "How a generator's tags relate to those asked for: "
      "superset (default), identical, subset, intersect",
      0 },
    { "counts", 'c', NULL, 0,
      "Print each kernel's features and their values, for sub-groups of 32", 0 },
    { "source", 's', NULL, 0, "Print each kernel's OpenCL C", 0 },
    { 0 },
};

static enum gcal_match match_named(const char *name, struct argp_state *state)
{
    static const char *const names[] = { "superset", "identical", "subset", "intersect" };

    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0)
            return (enum gcal_match)i;
    argp_error(state,
               "--match: expected superset, identical, subset or intersect, found "
               "'%s'",
               name);
    return GCAL_MATCH_SUPERSET;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct kernels_command *c = state->input;
    const char **tags;

    switch (key) {
    case 'm':
        c->match = match_named(arg, state);
        break;
    case 'c':
        c->counts = true;
        break;
    case 's':
        c->source = true;
        break;
    case ARGP_KEY_ARG:
        tags = gcal_array_grow(c->tags, c->n_tags, &c->capacity, sizeof(*tags), NULL);
        if (!tags)
            return ENOMEM;
        c->tags = tags;
        c->tags[c->n_tags++] = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[TAG | ARGUMENT:VALUE[,VALUE]]...",
    .doc = "Lists the measurement kernels that tags pick; without tags, the generators "
           "with their tags and arguments.\v"
           "Example: gpucal kernels matmul_sq prefetch:true n:1024,2048 --counts",
};

static int print_kernel(const struct kernels_command *c, const struct gcal_kernel *k,
                        struct gcal_error *err)
{
    double sizes[64];

    printf("%s\n", k->name);
    if (c->source)
        printf("%s\n", k->source);
    if (!c->counts || k->profile->n_parameters > sizeof(sizes) / sizeof(*sizes))
        return 0;
    if (gcal_sizes_of_kernel(k, k->profile->n_parameters,
                             (const char *const *)k->profile->parameters, sizes, err) < 0)
        return -1;
    return gcal_features_print(k->profile, 32, sizes, err);
}

static int run(const struct kernels_command *c, struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = gcal_catalogue_open(NULL, err);
    struct gcal_kernel_list list = { 0 };
    char *text = NULL;
    int rc = -1;

    if (!catalogue)
        return -1;
    if (!c->n_tags) {
        if ((text = gcal_catalogue_describe(catalogue, err)))
            rc = fputs(text, stdout) == EOF ? -1 : 0;
        goto out;
    }
    if (gcal_catalogue_check(catalogue, c->n_tags, c->tags, c->match, err) < 0 ||
        gcal_catalogue_generate(catalogue, c->n_tags, c->tags, c->match, 0, &list, err) <
            0)
        goto out;
    rc = 0;
    for (size_t i = 0; rc == 0 && i < list.n_kernels; i++)
        rc = print_kernel(c, list.kernels[i], err);
    if (rc == 0)
        printf("%zu kernel%s\n", list.n_kernels, list.n_kernels == 1 ? "" : "s");
out:
    free(text);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
    return rc;
}

int gcal_command_kernels(int argc, char **argv)
{
    struct kernels_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    free(c.tags);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
