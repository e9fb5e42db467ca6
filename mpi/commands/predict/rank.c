/* rank.c - gpucal rank: variants of a kernel, the fastest first */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/select/select.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/predict/order.h"

struct rank_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list tags, profiles, ats, catalogue;
    const char *config;
    bool json;
    struct gcal_predict_target *files; /* of 'profiles' */
};

static const struct argp_option options[] = {
    { "profile", 'p', "FILE", 0,
      "A kernel counted by 'gpucal count -o FILE', instead of tags; may be repeated", 0 },
    { "at", 'A', "NAME=VALUE,..", 0,
      "Sizes for --profile, e.g. n=2048,m=64; several by a list (n=512,1024), a range "
      "that "
      "doubles (n=512:8192), or repeating the option, for one variant each",
      0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct rank_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->published, &c->json, &c->config, &c->catalogue);
        break;
    case 'p':
        gcal_option_list_add(&c->profiles, arg, state);
        break;
    case 'A':
        gcal_option_list_add(&c->ats, arg, state);
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->tags, arg, state);
        break;
    case ARGP_KEY_END:
        if (!c->tags.n == !c->profiles.n)
            argp_error(state, "expected either tags or --profile FILE");
        if (c->ats.n && c->tags.n)
            argp_error(state, "--at requires --profile; with tags, give sizes as n:4096");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_device_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(catalogue),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[TAG | ARGUMENT:VALUE[,VALUE]]...",
    .children = children,
    .doc =
        "Orders variants of a kernel by predicted time on a calibrated device, with the "
        "probability of each comparison.\v"
        "Examples:\n"
        "  gpucal rank matmul_sq n:4096\n"
        "  gpucal rank --profile a.yaml --profile b.yaml --at n=4096\n"
        "  gpucal rank --profile blocked.yaml --at n=4096,b=16,32\n\n"
        "If --model is not given, the model made for most of the variants predicts; if "
        "there is none, the general model.  Variants with work that the model has no "
        "cost "
        "for follow all others.\n\n"
        "Predictions of variants share the errors of common parameters, so that the "
        "order "
        "of two variants can be certain although their intervals overlap.",
};

/* ---- variants ---- */

static int add_kernel(struct gcal_order *r, const struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    struct gcal_order_variant *v = gcal_order_add(r, err);

    if (kernel->sweep)
        return gcal_error_set(err, GCAL_EINPUT,
                              "kernel '%s' is selected at several sizes: give each size "
                              "of the kernel, e.g. n:4096",
                              kernel->name);
    if (!v)
        return -1;
    if (!(v->name = strdup(kernel->name)))
        return gcal_error_memory(err);
    return gcal_predict_target_from_catalogue(&v->target, kernel, err);
}

static int add_tagged(const struct rank_command *c,
                      const struct gcal_params_device *device,
                      struct gcal_kernel_list *list, struct gcal_order *r,
                      struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(&device->info);
    struct gcal_catalogue *catalogue =
        gcal_command_catalogue_open_for(&c->catalogue, c->config, err);
    int rc = -1;

    limits.counting = gcal_predict_counting(device, c->published.model);
    if (catalogue && gcal_catalogue_check(catalogue, c->tags.n, c->tags.items,
                                          GCAL_MATCH_SUPERSET, err) == 0)
        rc = gcal_catalogue_generate(catalogue, c->tags.n, c->tags.items,
                                     GCAL_MATCH_SUPERSET, &limits, list, err);
    gcal_catalogue_close(catalogue);
    if (rc == 0 && gcal_command_catalogue_report(list, err) < 0)
        rc = -1;
    if (rc == 0 && !list->n_kernels)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "the tags select no kernel that %s can run; 'gpucal "
                            "kernels' with the same tags lists them all",
                            device->info.name);
    for (size_t i = 0; i < list->n_kernels && rc == 0; i++)
        rc = add_kernel(r, list->kernels[i], err);
    return rc;
}

static int add_point(struct gcal_order *r, const char *file,
                     const struct gcal_predict_target *whole, size_t point,
                     struct gcal_error *err)
{
    struct gcal_order_variant *v = gcal_order_add(r, err);
    char *sizes;

    if (!v || gcal_predict_target_at(&v->target, whole, point, err) < 0)
        return -1;
    if ((sizes = gcal_count_point_name(whole->profile, v->target.sizes)))
        v->name = gcal_buf_format("%s%s%s", file, *sizes ? " " : "", sizes);
    free(sizes);
    return v->name ? 0 : gcal_error_memory(err);
}

static int add_profiles(struct rank_command *c, const struct gcal_params_device *device,
                        struct gcal_order *r, struct gcal_error *err)
{
    int rc = 0;

    if (!(c->files = calloc(c->profiles.n, sizeof(*c->files))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < c->profiles.n && rc == 0; i++) {
        const char *file = c->profiles.items[i];

        rc = gcal_predict_target_read(&c->files[i], file, device, &c->ats, err);
        for (size_t k = 0; k < c->files[i].points.n && rc == 0; k++)
            rc = add_point(r, file, &c->files[i], k, err);
    }
    return rc;
}

static int run(struct rank_command *c, struct gcal_error *err)
{
    struct gcal_predict_device published = { 0 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_order r = { 0 };
    int rc = -1;

    if (gcal_predict_device_open(&c->published, &published, err) < 0)
        goto out;
    r.node = published.params.node;
    r.device = published.device->info.name;
    r.model = c->published.model;
    if ((c->tags.n ? add_tagged(c, published.device, &list, &r, err)
                   : add_profiles(c, published.device, &r, err)) < 0 ||
        gcal_order_variants(&r, published.device, err) < 0)
        goto out;
    rc = c->json ? gcal_order_print_json(&r, err) : gcal_order_print(&r, err);
out:
    gcal_order_clear(&r);
    for (size_t i = 0; c->files && i < c->profiles.n; i++)
        gcal_predict_target_clear(&c->files[i]);
    gcal_kernel_list_clear(&list);
    gcal_predict_device_clear(&published);
    return rc;
}

int gcal_command_rank(int argc, char **argv)
{
    struct rank_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    free(c.tags.items);
    free(c.profiles.items);
    free(c.files);
    free(c.ats.items);
    free(c.catalogue.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
