/* scheduler.c - places a kernel on the node where it is predicted to end first
 *
 *   scheduler STORE PROFILE SIZE[,SIZE..] NODE[:DEVICE]..
 *
 * Prints "NODE TIME_S STANDARD_ERROR_S" for each node, then the best node.
 */
#include <gpucal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZES 8

/* 'place' is "node17" or "node17:*h200*". */
static int predict(const struct gpucal_store *store, const char *place,
                   const struct gpucal_profile *profile, const double *sizes,
                   struct gpucal_prediction *p)
{
    struct gpucal_error err = { 0 };
    const char *colon = strchr(place, ':');
    char node[256];
    struct gpucal_device *device;
    struct gpucal_model *model;
    int rc;

    snprintf(node, sizeof(node), "%.*s", (int)strcspn(place, ":"), place);
    device = gpucal_device_open(store, node, colon ? colon + 1 : NULL, &err);
    model = device ? gpucal_model_bind(device, NULL, profile, &err) : NULL;
    rc = model ? gpucal_predict(model, sizes, p, &err) : -1;

    if (rc < 0)
        fprintf(stderr, "%s: %s\n", place, err.text);
    gpucal_model_close(model);
    gpucal_device_close(device);
    return rc;
}

static size_t parse_sizes(const char *text, double sizes[MAX_SIZES])
{
    size_t n = 0;
    char *end;

    while (n < MAX_SIZES) {
        sizes[n++] = strtod(text, &end);
        if (*end != ',')
            break;
        text = end + 1;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct gpucal_error err = { 0 };
    struct gpucal_prediction p;
    double best_s = 0;
    struct gpucal_store *store = NULL;
    struct gpucal_profile *profile = NULL;
    const char *best_node = NULL;
    double sizes[MAX_SIZES];

    if (argc < 5) {
        fprintf(stderr, "usage: scheduler STORE PROFILE SIZE[,SIZE..] NODE[:DEVICE]..\n");
        return 1;
    }
    if ((store = gpucal_store_open(argv[1], &err)) &&
        (profile = gpucal_profile_open(argv[2], &err)) &&
        parse_sizes(argv[3], sizes) == gpucal_profile_parameter_count(profile)) {
        for (int i = 4; i < argc; i++) {
            if (predict(store, argv[i], profile, sizes, &p) < 0)
                continue;
            printf("%s %.6e %.1e%s\n", argv[i], p.time_s, p.standard_error_s,
                   p.extrapolates ? " extrapolates" : "");
            if (!best_node || p.time_s < best_s) {
                best_node = argv[i];
                best_s = p.time_s;
            }
        }
    } else {
        fprintf(stderr, "%s\n", *err.text ? err.text : "wrong number of sizes");
    }
    if (best_node)
        printf("best: %s\n", best_node);
    gpucal_profile_close(profile);
    gpucal_store_close(store);
    return best_node ? 0 : 1;
}
