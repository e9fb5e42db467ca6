/* store.c - gpucal store: verification, observed times, pruning, forgetting, keys and signatures */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "calib/learn/kernel.h"
#include "calib/learn/observed.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/run_header.h"
#include "mpi/commands/store/reference.h"
#include "store/files/store.h"
#include "store/medians/medians.h"
#include "store/publish/publish.h"

#define DAY_S      86400.0
#define MOST_NAMED 20 /* files */

struct store_command {
    const char *action, *file, *store, *keys, *key, *model, *node, *device;
    long keep;                       /* -1: not given */
    double max_age_s, kernels_age_s; /* NaN: not given */
    struct gcal_option_list others;  /* references of other sites */
    bool dry_run, quiet, json;
};

enum { KEEP = 256, MAX_AGE, KEYS, KEY, KERNELS };

static const struct argp_option options[] = {
    { "keys", KEYS, "FILE", 0,
      "verify: public keys, one of which must have signed each file (default: "
      "$GPUCAL_TRUSTED_KEYS)",
      0 },
    { "key", KEY, "FILE", 0, "sign: the secret key (default: $GPUCAL_SIGN_KEY)", 0 },
    { "keep", KEEP, "N", 0,
      "prune: keep the newest N files in the history of each node and type", 0 },
    { "model", 'm', "NAME", 0, "forget: the model; without it, nodes are removed", 0 },
    { "max-age", MAX_AGE, "DAYS", 0, "prune: keep younger files as well", 0 },
    { "kernels", KERNELS, "DAYS", 0,
      "prune: forget kernels that nothing was learned of for so long, and observed times "
      "that nobody merged",
      0 },
    { "quiet", 'q', NULL, 0, "verify: print only what is damaged or interrupted", 0 },
    { 0 },
};

static double number(const char *text, const char *what, struct argp_state *state)
{
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= 0) || value > 1e9)
        argp_error(state, "%s: expected a number from 0 to 1e9, found '%s'", what, text);
    return value;
}

#define ACTIONS "init, verify, merge, prune, forget, sign, keygen or export-reference"

static void check_arguments(const struct store_command *c, struct argp_state *state)
{
    static const char *const actions[] = { "init",   "verify",          "merge",
                                           "prune",  "forget",          "sign",
                                           "keygen", "export-reference" };
    const size_t n = sizeof(actions) / sizeof(*actions);
    bool forgets;
    size_t i = 0;

    if (!c->action) {
        argp_error(state, "missing action: " ACTIONS);
        return;
    }
    while (i < n && strcmp(c->action, actions[i]) != 0)
        i++;
    if (i == n)
        argp_error(state, "unknown action '%s'; expected " ACTIONS, c->action);
    forgets = strcmp(c->action, "forget") == 0;
    if (forgets && !c->model && (!c->node || c->device))
        argp_error(state, "forget requires --model NAME, the model to remove, or --node "
                          "NODE without --device, the node to remove");
    if (!forgets && (c->model || c->node || c->device))
        argp_error(state, "--model, --node and --device are for forget alone");
    if (strcmp(c->action, "keygen") == 0 && !c->file)
        argp_error(state, "keygen: expected the name of the file for the secret key");
    if (strcmp(c->action, "export-reference") == 0 && !c->file)
        argp_error(state, "export-reference: expected a type of device; 'gpucal devices' "
                          "has them");
    if (strcmp(c->action, "prune") == 0 && c->keep < 0)
        argp_error(
            state,
            "prune requires --keep N, the number of files to keep per node and type");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct store_command *c = state->input;
    double value;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->node, &c->device, &c->dry_run, &c->json);
        break;
    case 'q':
        c->quiet = true;
        break;
    case 'm':
        c->model = arg;
        break;
    case KEYS:
        c->keys = arg;
        break;
    case KEY:
        c->key = arg;
        break;
    case KEEP:
        value = number(arg, "--keep", state);
        if (value != floor(value))
            argp_error(state, "--keep: expected an integer, found '%s'", arg);
        c->keep = (long)value;
        break;
    case MAX_AGE:
        c->max_age_s = DAY_S * number(arg, "--max-age", state);
        break;
    case KERNELS:
        c->kernels_age_s = DAY_S * number(arg, "--kernels", state);
        break;
    case ARGP_KEY_ARG:
        if (!c->action)
            c->action = arg;
        else if ((strcmp(c->action, "keygen") == 0 ||
                  strcmp(c->action, "export-reference") == 0) &&
                 !c->file)
            c->file = arg;
        else if (strcmp(c->action, "export-reference") == 0)
            gcal_option_list_add(&c->others, arg);
        else
            argp_error(state, "unexpected argument '%s'", arg);
        break;
    case ARGP_KEY_END:
        check_arguments(c, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(store),  GCAL_OPTION(nodes),
                                              GCAL_OPTION(device), GCAL_OPTION(dry_run),
                                              GCAL_OPTION(json),   { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc =
        "init\nverify\nmerge\nprune --keep N\nforget --model NAME\nforget --node NODE\n"
        "sign\nkeygen FILE\nexport-reference TYPE [FILE]...",
    .doc =
        "Makes and maintains a store.\n\n"
        "init makes the folder.  verify checks each file against the ledger of "
        "publications.  merge learns from the times that programs observed "
        "(gpucal_observe).  prune removes old "
        "files from the histories.  forget removes a model from what is published, on "
        "all devices or on some, or a node.  keygen creates a pair of keys, FILE "
        "(secret) and "
        "FILE.pub.  sign signs all published files, if the store verifies.  "
        "export-reference prints what devices of a type have by their checks, those of "
        "FILEs included.\v"
        "Examples:\n"
        "  gpucal store keygen site.key\n"
        "  gpucal store merge --dry-run\n"
        "  gpucal store prune --keep 10 --dry-run\n"
        "  gpucal store forget --model sweeps --node n1 --dry-run\n"
        "  gpucal store forget --node n1 --dry-run\n"
        "  gpucal store init --store DIR\n"
        "  gpucal store export-reference nvidia-cuda-nvidia-h200-132cu > h200.tsv\n"
        "Exit status: 0 good (interrupted publications are reported), 1 damaged or bad "
        "input, 6 the store cannot be written.",
};

/* ---- actions: the exit status, or -1 with 'err' ---- */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Takes 'results', which differ by action. */
static void print_json(const struct store_command *c, json_t *results)
{
    json_t *all =
        json_pack("{s:s, s:b}", "action", c->action, "dry_run", (int)c->dry_run);

    json_object_update(all, results);
    gcal_json_print(all, "store");
    json_decref(all);
    json_decref(results);
}

/* Of the store and of its medians. */
static int verify_all(const struct gcal_store *store, struct gcal_verify_result *result,
                      struct gcal_error *err)
{
    struct gcal_medians_check found = { 0 };
    struct gcal_buf buf = { 0 };
    int rc = gcal_store_verify(store, result, err);

    if (rc < 0)
        return -1;
    if ((rc = gcal_medians_verify(store, &found, err)) == 0) {
        result->n_files += found.n_files;
        result->n_signed += found.n_signed;
        result->n_damaged += found.damaged.n;
        result->n_interrupted += found.interrupted.n;
        gcal_buf_puts(&buf, result->text ? result->text : "");
        for (size_t i = 0; i < found.damaged.n; i++)
            gcal_buf_printf(&buf, "damaged: %s\n", found.damaged.items[i]);
        for (size_t i = 0; i < found.interrupted.n; i++)
            gcal_buf_printf(&buf, "interrupted: %s\n", found.interrupted.items[i]);
        free(result->text);
        result->text = gcal_buf_take(&buf, err);
        rc = result->text ? 0 : -1;
    }
    if (rc < 0)
        gcal_verify_result_clear(result);
    gcal_medians_check_clear(&found);
    return rc;
}

static int verify(const struct store_command *c, const struct gcal_store *store,
                  struct gcal_error *err)
{
    struct gcal_verify_result v;
    int status;

    if (verify_all(store, &v, err) < 0)
        return -1;
    if (c->json)
        print_json(c,
                   json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s}", "status",
                             v.n_damaged       ? "damaged"
                             : v.n_interrupted ? "interrupted"
                                               : "good",
                             "files", (int)v.n_files, "signed", (int)v.n_signed, "lines",
                             (int)v.n_lines, "damaged", (int)v.n_damaged, "interrupted",
                             (int)v.n_interrupted, "remarks", v.text ? v.text : ""));
    else if (v.text)
        fputs(v.text, stdout);
    if (!c->quiet && !c->json)
        printf("%s: %zu file%s, %zu signed, %zu line%s of the ledger, %zu damaged, %zu "
               "interrupted\n",
               v.n_damaged       ? "damaged"
               : v.n_interrupted ? "good, but for interrupted publications"
                                 : "good",
               v.n_files, plural(v.n_files), v.n_signed, v.n_lines, plural(v.n_lines),
               v.n_damaged, v.n_interrupted);
    status = v.n_damaged ? GCAL_EINPUT : 0;
    gcal_verify_result_clear(&v);
    return status;
}

static void print_observed(const struct gcal_observed_kernel *k)
{
    printf("%s on %s of %s: %zu time%s at %zu size%s", k->kernel,
           *k->device ? k->device : k->uid, k->node, k->n_times, plural(k->n_times),
           k->n_sizes, plural(k->n_sizes));
    if (!isnan(k->ratio))
        printf(", %.2f times what was learned before", k->ratio);
    if (k->why)
        printf(": stays: %s", k->drifts ? "drifts" : k->why);
    puts("");
}

static json_t *list_observed(const struct gcal_observed *o)
{
    json_t *list = json_array();

    for (size_t i = 0; i < o->n; i++) {
        const struct gcal_observed_kernel *k = &o->kernels[i];

        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:b, s:b, s:s}",
                            "kernel", k->kernel, "fingerprint", k->fingerprint, "node",
                            k->node, "uid", k->uid, "device", k->device, "times",
                            (int)k->n_times, "sizes", (int)k->n_sizes, "ratio",
                            gcal_json_number(k->ratio), "drifts", (int)k->drifts,
                            "learned", (int)!k->why, "why", k->why ? k->why : ""));
    }
    return list;
}

static int merge(struct gcal_arena *arena, const struct store_command *c,
                 struct gcal_store *store, struct gcal_error *err)
{
    char utc[GCAL_CLOCK_UTC_SIZE];
    const struct gcal_learn_run run = { gcal_run_id_new(arena), utc };
    struct gcal_observed observed;

    gcal_clock_utc(utc);
    if (gcal_learn_observed(arena, store, &run, c->dry_run, &observed, err) < 0)
        return -1;
    if (c->json) {
        print_json(c,
                   json_pack("{s:i, s:i, s:i, s:i, s:o}", "files", (int)observed.n_files,
                             "published", (int)observed.n_learned, "unsigned",
                             (int)observed.n_unsigned, "damaged", (int)observed.n_damaged,
                             "kernels", list_observed(&observed)));
        return 0;
    }
    for (size_t i = 0; i < observed.n; i++)
        print_observed(&observed.kernels[i]);
    if (observed.n_unsigned)
        printf("%zu line%s that no trusted key has signed: left out\n",
               observed.n_unsigned, plural(observed.n_unsigned));
    if (observed.n_damaged)
        printf("%zu damaged line%s left out\n", observed.n_damaged,
               plural(observed.n_damaged));
    printf("%zu kernel%s %s from %zu file%s of observed times\n", observed.n_learned,
           plural(observed.n_learned), c->dry_run ? "would be learned" : "learned",
           observed.n_files, plural(observed.n_files));
    return 0;
}

static int prune(const struct store_command *c, struct gcal_store *store,
                 struct gcal_error *err)
{
    struct gcal_strings strangers = { 0 };
    size_t removed;
    int rc = gcal_store_prune(store, (size_t)c->keep, c->max_age_s, c->dry_run, &removed,
                              &strangers, err);

    if (rc == 0)
        rc = gcal_medians_prune(store, c->dry_run, &removed, err);
    if (rc == 0 && c->kernels_age_s > 0)
        rc = gcal_store_prune_learned(store, c->kernels_age_s, c->dry_run, &removed, err);
    for (size_t i = 0; i < strangers.n && i < MOST_NAMED; i++)
        gcal_log(GCAL_LOG_WARN, "%s stays: the ledger does not have it",
                 strangers.items[i]);
    if (strangers.n > MOST_NAMED)
        gcal_log(GCAL_LOG_WARN, "so do %zu more", strangers.n - MOST_NAMED);
    gcal_strings_clear(&strangers);
    if (rc < 0)
        return -1;
    if (c->json)
        print_json(c, json_pack("{s:i}", "files", (int)removed));
    else
        printf("%zu file%s %s\n", removed, plural(removed),
               c->dry_run ? "would be removed" : "removed");
    return 0;
}

static int forget(const struct store_command *c, struct gcal_store *store,
                  struct gcal_error *err)
{
    const struct gcal_store_forget what = {
        .model = c->model, .node = c->node, .device = c->device, .dry_run = c->dry_run
    };
    size_t n_files, n_devices;

    if (gcal_store_forget(store, &what, &n_files, &n_devices, err) < 0)
        return -1;
    if (!n_files && !c->model)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no node matches '%s': 'gpucal show' lists them", c->node);
    if (!c->model) {
        if (c->json)
            print_json(c, json_pack("{s:i}", "nodes", (int)n_files));
        else
            printf("%zu node%s %s\n", n_files, plural(n_files),
                   c->dry_run ? "would be removed" : "removed");
        return 0;
    }
    if (!n_files)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no model '%s' is published%s: 'gpucal show' lists them",
                              c->model, c->node || c->device ? " there" : "");
    if (c->json)
        print_json(c, json_pack("{s:s, s:i, s:i}", "model", c->model, "devices",
                                (int)n_devices, "files", (int)n_files));
    else
        printf("model %s %s from %zu device%s (%zu file%s)\n", c->model,
               c->dry_run ? "would be removed" : "removed", n_devices, plural(n_devices),
               n_files, plural(n_files));
    return 0;
}

static int init(struct gcal_arena *arena, const struct store_command *c,
                struct gcal_error *err)
{
    const char *path = gcal_command_store_path(arena, c->store, NULL, err);
    struct gcal_store *store = NULL;
    bool made;

    if (path && (store = gcal_store_init(path, &made, err))) {
        if (c->json)
            print_json(c, json_pack("{s:s, s:b}", "store", path, "made", (int)made));
        else
            printf("store %s: %s\n", path, made ? "made" : "exists already");
    }
    gcal_store_close(store);
    return store ? 0 : -1;
}

/* A signature vouches for the content, so the files must be as published; what has no signature
 * yet, or another one, is good until the store has the key.
 */
static int sign(const struct store_command *c, struct gcal_store *store,
                struct gcal_error *err)
{
    const char *key = c->key ? c->key : getenv("GPUCAL_SIGN_KEY");
    struct gcal_verify_result result;
    size_t n_signed, n_damaged;

    if (!key || !*key)
        return gcal_error_set(err, GCAL_EINPUT,
                              "sign: no key given (--key FILE or $GPUCAL_SIGN_KEY)");
    if (verify_all(store, &result, err) < 0)
        return -1;
    n_damaged = result.n_damaged;
    if (n_damaged)
        fputs(result.text, stderr);
    gcal_verify_result_clear(&result);
    if (n_damaged)
        return gcal_error_set(err, GCAL_EINPUT,
                              "nothing was signed, as the store is damaged: repair or "
                              "remove the files listed above, and publish them again");
    if (gcal_store_sign_with(store, key, err) < 0 ||
        gcal_store_sign(store, &n_signed, err) < 0)
        return -1;
    if (c->json)
        print_json(c, json_pack("{s:i}", "signed", (int)n_signed));
    else
        printf("%zu file%s signed\n", n_signed, plural(n_signed));
    return 0;
}

static int reference(struct gcal_arena *arena, const struct store_command *c,
                     struct gcal_store *store, struct gcal_error *err)
{
    json_t *results = NULL;
    int rc = gcal_command_reference(arena, store, c->file, &c->others,
                                    c->json ? &results : NULL, err);

    if (results)
        print_json(c, results);
    return rc;
}

GCAL_ARENA_DESTROYER(close_store, gcal_store_close)

static struct gcal_store *open_store(struct gcal_arena *arena,
                                     const struct store_command *c,
                                     struct gcal_error *err)
{
    bool signs = strcmp(c->action, "sign") == 0;
    bool changes = strcmp(c->action, "merge") == 0 || strcmp(c->action, "prune") == 0 ||
                   strcmp(c->action, "forget") == 0;
    bool writable = signs || (changes && !c->dry_run);
    const char *path = gcal_command_store_path(arena, c->store, NULL, err);
    struct gcal_store *store;

    if (!path)
        return NULL;
    /* 'sign' replaces old signatures, and so trusts the ledger instead. */
    store = signs
                ? gcal_arena_own(arena, gcal_store_open_writable(path, err), close_store)
                : gcal_command_store_open(arena, path, writable, err);
    return store && (!c->keys || gcal_store_trust(store, c->keys, err) == 0) ? store
                                                                             : NULL;
}

static int run(struct gcal_arena *arena, const struct store_command *c,
               struct gcal_error *err)
{
    struct gcal_store *store;

    if (strcmp(c->action, "keygen") == 0) {
        if (gcal_sign_keygen(c->file, err) < 0)
            return -1;
        if (c->json)
            print_json(c, json_pack("{s:s, s:s+}", "secret_key", c->file, "public_key",
                                    c->file, ".pub"));
        else
            printf("secret key: %s (set $GPUCAL_SIGN_KEY to it where gpucal publishes)\n"
                   "public key: %s.pub (set $GPUCAL_TRUSTED_KEYS to it where files are "
                   "read)\n",
                   c->file, c->file);
        return 0;
    }
    if (strcmp(c->action, "init") == 0)
        return init(arena, c, err);
    if (!(store = open_store(arena, c, err)))
        return -1;
    return strcmp(c->action, "verify") == 0   ? verify(c, store, err)
           : strcmp(c->action, "merge") == 0  ? merge(arena, c, store, err)
           : strcmp(c->action, "prune") == 0  ? prune(c, store, err)
           : strcmp(c->action, "forget") == 0 ? forget(c, store, err)
           : strcmp(c->action, "sign") == 0   ? sign(c, store, err)
                                              : reference(arena, c, store, err);
}

int gcal_command_store(int argc, char **argv)
{
    struct store_command c = { .keep = -1, .max_age_s = NAN, .kernels_age_s = NAN };
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_error err = { 0 };
    int status;

    gcal_command_parse(&argp, argc, argv, &c);
    status = run(arena, &c, &err);
    gcal_arena_destroy(arena);
    return status < 0 ? gcal_command_fail(&err) : status;
}
