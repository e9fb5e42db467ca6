/* diff_records.c - differences between two records, as tables and as JSON */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/store/diff.h"

/* Kernels of a device that are listed without --all. */
#define KERNELS_LISTED 10

int gcal_diff_record_status(const struct gcal_compare_records *diff,
                            const struct gcal_diff_view *view)
{
    int status = GCAL_OK;

    for (size_t i = 0; i < diff->n_generators; i++) {
        const struct gcal_compare_ratio *is = &diff->generators[i].is;

        if (!(is->low > 1) || !(is->ratio - 1 > view->warn))
            continue;
        if (is->ratio - 1 > view->fail)
            return GCAL_EDRIFT;
        status = GCAL_EDRIFT_WARN;
    }
    return status;
}

/* The verdict on a ratio. */
static const char *word(const struct gcal_compare_ratio *is)
{
    if (isnan(is->low))
        return "unknown";
    if (!gcal_compare_ratio_differs(is))
        return "noise";
    return is->ratio > 1 ? "slower" : "faster";
}

static void print_ratio(const struct gcal_compare_ratio *is)
{
    printf("  %-7s %7.4f ", word(is), is->ratio);
    if (isnan(is->low))
        printf(" %16s ", "-");
    else
        printf(" %7.4f - %6.4f ", is->low, is->high);
}

static void print_groups(const char *what, const struct gcal_compare_mean *groups,
                         size_t n, size_t device, bool all)
{
    size_t left_out = 0;
    bool head = false;

    for (size_t i = 0; i < n; i++) {
        if (groups[i].device != device)
            continue;
        if (!all && !gcal_compare_ratio_differs(&groups[i].is)) {
            left_out++;
            continue;
        }
        if (!head)
            printf("  %-7s %7s  %16s  %7s  %s\n", "", "ratio", "90 % interval", "kernels",
                   what);
        head = true;
        print_ratio(&groups[i].is);
        printf(" %7zu  %s\n", groups[i].n, groups[i].name);
    }
    if (left_out)
        printf("  %zu %s%s%s within the noise\n", left_out, head ? "other " : "", what,
               left_out == 1 ? "" : "s");
}

static void print_only(const char *file, const char *const *names, size_t n, bool all)
{
    if (!n)
        return;
    printf("%zu kernel%s only in %s%s\n", n, n == 1 ? " is" : "s are", file,
           all ? ":" : "; --all lists them");
    for (size_t i = 0; all && i < n; i++)
        printf("  %s\n", names[i]);
}

void gcal_diff_record_print(const struct gcal_compare_records *diff,
                            const struct gcal_diff_view *view)
{
    printf("ratios of times, %s over %s: above 1 is slower\n", view->after, view->before);
    for (size_t i = 0; i < diff->n_devices; i++) {
        const struct gcal_run_device *a = diff->devices[i].before,
                                     *b = diff->devices[i].after;
        size_t n = 0, differ = 0, printed = 0;

        printf("\n%s on node %s (%s)\n", b->info.name, b->node, b->info.uid);
        if (strcmp(a->info.uid, b->info.uid) != 0 || strcmp(a->node, b->node) != 0)
            printf("note: compared with the device on node %s (%s)\n", a->node,
                   a->info.uid);
        if (strcmp(a->info.driver, b->info.driver) != 0)
            printf("note: driver changed from %s to %s\n", a->info.driver,
                   b->info.driver);
        print_groups("category", diff->groups, diff->n_groups, i, true);
        print_groups("generator", diff->generators, diff->n_generators, i, view->all);
        for (size_t j = 0; j < diff->n_kernels; j++) {
            const struct gcal_compare_kernel *k = &diff->kernels[j];
            bool differs = gcal_compare_ratio_differs(&k->is);
            char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE];

            if (k->device != i)
                continue;
            n++;
            differ += differs;
            if (!view->all && (!differs || differ > KERNELS_LISTED))
                continue;
            if (!printed++)
                printf("  %-7s %7s  %16s  %10s %10s  %s\n", "", "ratio", "90 % interval",
                       "before", "after", "kernel");
            print_ratio(&k->is);
            printf(" %10s %10s  %s\n", gcal_units(k->before_s, "s", before),
                   gcal_units(k->after_s, "s", after), k->name);
        }
        printf("  %zu of %zu kernels differ; about a tenth is expected by chance%s\n",
               differ, n, printed == n ? "" : "; --all prints all");
    }
    if (diff->n_only_before || diff->n_only_after)
        putchar('\n');
    print_only(view->before, diff->only_before, diff->n_only_before, view->all);
    print_only(view->after, diff->only_after, diff->n_only_after, view->all);
}

/* ---- JSON ---- */

static void set_ratio(json_t *object, const struct gcal_compare_ratio *is)
{
    json_object_set_new(object, "what", json_string(word(is)));
    json_object_set_new(object, "ratio", json_real(is->ratio));
    json_object_set_new(object, "low", gcal_json_number(is->low));
    json_object_set_new(object, "high", gcal_json_number(is->high));
}

static json_t *groups_json(const struct gcal_compare_mean *groups, size_t n,
                           size_t device)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *object;

        if (groups[i].device != device)
            continue;
        object = json_pack("{s:s, s:I}", "name", groups[i].name, "kernels",
                           (json_int_t)groups[i].n);
        set_ratio(object, &groups[i].is);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *kernels_json(const struct gcal_compare_records *diff, size_t device,
                            bool all)
{
    json_t *list = json_array();

    for (size_t i = 0; i < diff->n_kernels; i++) {
        const struct gcal_compare_kernel *k = &diff->kernels[i];
        json_t *object;

        if (k->device != device || (!all && !gcal_compare_ratio_differs(&k->is)))
            continue;
        object = json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", k->name, "generator",
                           k->generator, "subject", k->group, "before_s", k->before_s,
                           "after_s", k->after_s);
        set_ratio(object, &k->is);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *device_json(const struct gcal_compare_records *diff, size_t device,
                           bool all)
{
    const struct gcal_run_device *a = diff->devices[device].before,
                                 *b = diff->devices[device].after;

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "node",
                     b->node, "device", b->info.uid, "name", b->info.name, "node_before",
                     a->node, "device_before", a->info.uid, "driver", b->info.driver,
                     "driver_before", a->info.driver, "subjects",
                     groups_json(diff->groups, diff->n_groups, device), "generators",
                     groups_json(diff->generators, diff->n_generators, device), "kernels",
                     kernels_json(diff, device, all));
}

static json_t *names_json(const char *const *names, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

json_t *gcal_diff_record_json(const struct gcal_compare_records *diff,
                              const struct gcal_diff_view *view)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < diff->n_devices; i++)
        json_array_append_new(devices, device_json(diff, i, view->all));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i}", "compared", "records",
                     "before", view->before, "after", view->after, "devices", devices,
                     "only_before", names_json(diff->only_before, diff->n_only_before),
                     "only_after", names_json(diff->only_after, diff->n_only_after),
                     "exit_status", gcal_diff_record_status(diff, view));
}
