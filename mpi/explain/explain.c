/* explain.c - gpucal explain: where a kernel's predicted time goes */
#include <stdio.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/explain/private.h"

struct explain_command {
    struct gcal_predict_subject_options subject;
    struct gcal_option_list what_ifs;
    bool json;
};

enum { WHAT_IF = 256 };

static const struct argp_option options[] = {
    { "what-if", WHAT_IF, "NAME=VALUE,..", 0,
      "The time with other values: of sizes, of local=XxY (the work-group of KERNEL.cl), "
      "local-memory, registers, resident or any other name of the model; x0.5 is a "
      "factor; "
      "may be repeated",
      0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explain_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->subject, &c->json);
        break;
    case WHAT_IF:
        gcal_option_list_add(&c->what_ifs, arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_subject_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[KERNEL.cl]",
    .children = children,
    .doc =
        "Explains the predicted time of a kernel on a calibrated device: what limits it, "
        "what each limit and each cost adds, the share of the measured rates, and "
        "occupancy.\v"
        "Examples:\n"
        "  gpucal explain --node n0 --profile mm.yaml --at n=2048\n"
        "  gpucal explain my.cl -k saxpy --local 256 --global n --at n=1048576\n"
        "  gpucal explain my.cl -k saxpy -l 256 -g n --at n=2^20 --what-if local=128 "
        "--what-if resident=4\n"
        "  gpucal explain --tag matmul_sq --tag prefetch:True --tag n:2048 --json",
};

/* ---- one point ---- */

/* A case with the times of changed kernels. */
struct point {
    struct gcal_explain_case c;
    struct gcal_explain_changes asked, advice;
};

static void clear_point(struct point *p)
{
    gcal_explain_changes_clear(&p->asked);
    gcal_explain_changes_clear(&p->advice);
    gcal_explain_case_clear(&p->c);
}

/* Clear 'p' in any case. */
static int open_point(const struct explain_command *c,
                      const struct gcal_predict_subject *s, size_t i, struct point *p,
                      struct gcal_error *err)
{
    const double *sizes = s->target.sizes + i * s->target.points.n_sizes;
    int rc = gcal_explain_case_open(&p->c, s, c->subject.published.model, sizes, err);

    p->c.notes_printed = c->subject.count.file;
    if (rc == 0)
        rc = gcal_explain_advise(&p->c, &c->subject, &p->advice, err);
    for (size_t k = 0; k < c->what_ifs.n && rc == 0; k++)
        rc = gcal_explain_what_if(&p->c, &c->subject, c->what_ifs.items[k], &p->asked,
                                  err);
    return rc;
}

static int print_point(const struct point *p, struct gcal_error *err)
{
    if (gcal_explain_print(&p->c, err) < 0)
        return -1;
    gcal_explain_changes_print(&p->c, &p->advice, "what would help most, by the model:");
    gcal_explain_changes_print(&p->c, &p->asked, "what if:");
    return 0;
}

static json_t *point_json(const struct point *p, struct gcal_error *err)
{
    json_t *all = gcal_explain_json(&p->c, err);

    if (all)
        json_object_set_new(all, "advice",
                            gcal_explain_changes_json(&p->advice, p->c.limits.time_s));
    if (all && p->asked.n)
        json_object_set_new(all, "what_if",
                            gcal_explain_changes_json(&p->asked, p->c.limits.time_s));
    return all;
}

/* ---- all points ---- */

static int print_text(const struct explain_command *c,
                      const struct gcal_predict_subject *s, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < s->target.points.n && rc == 0; i++) {
        struct point p = { 0 };

        rc = open_point(c, s, i, &p, err);
        if (rc == 0 && i)
            printf("\n");
        if (rc == 0)
            rc = print_point(&p, err);
        clear_point(&p);
    }
    return rc;
}

/* A list of an object for each point, or the object of the only one. */
static int print_json(const struct explain_command *c,
                      const struct gcal_predict_subject *s, struct gcal_error *err)
{
    json_t *list = json_array(), *object;
    int rc = 0;

    for (size_t i = 0; i < s->target.points.n && rc == 0; i++) {
        struct point p = { 0 };

        rc = open_point(c, s, i, &p, err);
        if (rc == 0)
            rc =
                (object = point_json(&p, err)) ? json_array_append_new(list, object) : -1;
        clear_point(&p);
    }
    if (rc == 0)
        gcal_json_print(s->target.points.n > 1 ? list : json_array_get(list, 0));
    json_decref(list);
    return rc;
}

static int run(const struct explain_command *c, struct gcal_error *err)
{
    struct gcal_predict_subject s = { 0 };
    int rc = gcal_predict_subject_open(&c->subject, &s, err);

    if (rc == 0)
        rc = c->json ? print_json(c, &s, err) : print_text(c, &s, err);
    gcal_predict_subject_clear(&s);
    return rc;
}

int gcal_command_explain(int argc, char **argv)
{
    struct explain_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    gcal_predict_subject_options_clear(&c.subject);
    free(c.what_ifs.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
