/* kernel.c - a kernel, and recorded devices, for tests of learning */
#include "tests/calib/learn/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "tests/unit.h"

#define MAX_BYTES (1 << 20)

/* y[i] = x[i] after m multiply-adds, for n items: accesses of two arrays, and numbers. */
static const struct {
    const char *feature, *count, *per;
} accesses[] = {
    { "f_mem_access", "n", "work-item" },
    { "f_sector", "1/8*n", "sub-group" },
    { "f_loop_sector", "1/8*n", "sub-group" },
    { "f_line", "1/32*n", "sub-group" },
    { "f_cache_pass", "1/32*n", "sub-group" },
    { "f_footprint_sub_group", "1/8*n", "sub-group" },
    { "f_footprint_group", "1/8*n", "work-group" },
    { "f_footprint_launch", "1/8*n", "kernel" },
    { "f_footprint_block", "1/16*n", "kernel" },
};
static const char *const numbers[][2] = {
    { "f_load_chain", "1" },         { "f_load_round", "1" },
    { "f_load_trip", "1" },          { "f_loads_in_flight", "1" },
    { "f_sync_kernel_launch", "1" }, { "f_thread_groups", "1/256*n" },
    { "f_work_items", "n" },
};

static void put_entries(struct gcal_buf *buf)
{
    static const char *const directions[] = { "load", "store" };

    for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++)
        for (size_t k = 0; k < 2; k++)
            gcal_buf_printf(
                buf,
                "- {feature: %s_global_float32_%s, count: %s, per: %s, dtype: "
                "float32, array: a%zu, memory: global, direction: %s, "
                "vector_width: 1, lid_strides: ['?'], gid_strides: ['?']}\n",
                accesses[i].feature, directions[k], accesses[i].count, accesses[i].per, k,
                directions[k]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        gcal_buf_printf(buf, "- {feature: %s, count: '%s', per: kernel}\n", numbers[i][0],
                        numbers[i][1]);
    gcal_buf_puts(buf, "- {feature: f_op_float32_madd, count: 1/32*n*m, per: sub-group, "
                       "dtype: float32, op: madd}\n"
                       "- {feature: f_op_chain_float32_madd, count: m, per: kernel, "
                       "dtype: float32, op: madd}\n");
}

struct gcal_profile *learn_kernel(const char *fingerprint)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_yaml *root;
    struct gcal_profile *profile;

    gcal_buf_printf(&buf,
                    "gpucal_profile: 6\nkernel: work\n%s"
                    "parameters: [n, m]\nlocal_size: [256]\ngroups: [1/256*n]\n"
                    "assumptions: n %% 256 = 0 and sub_group_size = 32\nbanks: 32\n"
                    "sector_bytes: 32\ndivergence: true\nindex_arithmetic: true\n"
                    "estimated: false\nentries:\n",
                    fingerprint);
    put_entries(&buf);
    root = gcal_yaml_parse(buf.data, strlen(buf.data), "work.profile", &err);
    profile = root ? gcal_profile_decode(root, &err) : NULL;
    if (!profile)
        fail_msg("%s", err.text);
    gcal_yaml_destroy(root);
    gcal_buf_free(&buf);
    return profile;
}

struct gcal_params learn_device(const char *file)
{
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    size_t size;
    char *text = gcal_file_read(file, MAX_BYTES, &size, &err);

    if (!text || gcal_params_decode(text, size, file, &params, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
    return params;
}
