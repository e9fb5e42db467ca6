/* counter.c - predicts a kernel from its source, on every device of a node
 *
 *   counter STORE NODE KERNEL.cl LOCAL GLOBAL NAME=VALUE..
 *
 * As a run-time system may do when it builds a kernel: the source is counted within the
 * program.  LOCAL is the size of a work-group and GLOBAL the number of work-items, an
 * expression in the sizes that follow.  Prints a line for each device.
 */
#include <gpucal_count.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZES 32

static struct gpucal_error err;

/* From NAME=VALUE texts to the order of the profile. */
static int set_sizes(const struct gpucal_profile *profile, char **texts,
                     double sizes[MAX_SIZES])
{
    size_t n = gpucal_profile_parameter_count(profile), given = 0;

    for (; *texts; texts++, given++) {
        char name[64] = "";
        double value;
        int i;

        if (sscanf(*texts, "%63[^=]=%lf", name, &value) != 2 ||
            (i = gpucal_profile_parameter_index(profile, name, &err)) < 0)
            return -1;
        sizes[i] = value;
    }
    return given == n ? 0 : -1;
}

static int predict(const struct gpucal_device *device,
                   const struct gpucal_count_request *request, char **texts)
{
    struct gpucal_profile *profile = gpucal_count(request, device, &err);
    struct gpucal_model *model =
        profile ? gpucal_model_bind(device, NULL, profile, &err) : NULL;
    struct gpucal_prediction p;
    double sizes[MAX_SIZES];
    int rc = -1;

    if (model && set_sizes(profile, texts, sizes) == 0 &&
        (rc = gpucal_predict(model, sizes, &p, &err)) == 0)
        printf("%s %s: %.4g us, %.4g to %.4g us\n", gpucal_device_kind(device),
               gpucal_device_name(device), 1e6 * p.time_s, 1e6 * p.low_s, 1e6 * p.high_s);
    gpucal_model_close(model);
    gpucal_profile_close(profile);
    return rc;
}

int main(int argc, char **argv)
{
    struct gpucal_count_request request = { 0 };
    struct gpucal_store *store;
    struct gpucal_list *uids;
    int failed = 0;

    if (argc < 6) {
        fprintf(stderr,
                "usage: counter STORE NODE KERNEL.cl LOCAL GLOBAL NAME=VALUE..\n");
        return 1;
    }
    request.file = argv[3];
    request.n_dims = 1;
    request.local_size[0] = strtoul(argv[4], NULL, 10);
    request.global_size[0] = argv[5];
    if (!(store = gpucal_store_open(argv[1], &err)) ||
        !(uids = gpucal_node_devices(store, argv[2], &err))) {
        fprintf(stderr, "counter: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < gpucal_list_count(uids); i++) {
        struct gpucal_device *device =
            gpucal_device_open(store, argv[2], gpucal_list_item(uids, i), &err);

        if (!device || predict(device, &request, argv + 6) < 0) {
            fprintf(stderr, "counter: %s\n", *err.text ? err.text : "sizes do not match");
            failed = 1;
        }
        gpucal_device_close(device);
    }
    gpucal_list_close(uids);
    gpucal_store_close(store);
    return failed;
}
