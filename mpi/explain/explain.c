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
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explain_command *c = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->subject, &c->json);
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
        "  gpucal explain --tag matmul_sq --tag prefetch:True --tag n:2048 --json",
};

static int print_text(const struct explain_command *c,
                      const struct gcal_predict_subject *s, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < s->target.points.n && rc == 0; i++) {
        struct gcal_explain_case one = { 0 };

        rc = gcal_explain_case_open(&one, s, &c->subject,
                                    s->target.sizes + i * s->target.points.n_sizes, err);
        if (rc == 0 && i)
            printf("\n");
        if (rc == 0)
            rc = gcal_explain_print(&one, err);
        gcal_explain_case_clear(&one);
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
        struct gcal_explain_case one = { 0 };

        rc = gcal_explain_case_open(&one, s, &c->subject,
                                    s->target.sizes + i * s->target.points.n_sizes, err);
        if (rc == 0)
            rc = (object = gcal_explain_json(&one, err))
                     ? json_array_append_new(list, object)
                     : -1;
        gcal_explain_case_clear(&one);
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
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
