/* test_profile.c - profiles: read, written, bound to sizes */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/limits.h"
#include "kernels/model/model.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Two loads of a tiled kernel, a store that is not affine, and one entry of each other
 * kind.
 */
static const char profile_text[] =
    "gpucal_profile: 6\n"
    "kernel: tiled\n"
    "source_hash: 7f3a\n"
    "parameters: [n, m]\n"
    "local_size: [16, 12]\n"
    "groups: [1/16*n, 1/12*m]\n"
    "assumptions: n % 16 = 0 and m % 12 = 0 and n >= 16\n"
    "index_arithmetic: true\n"
    "estimated: true\n"
    "notes:\n"
    "- '21:5: both sides of a condition on data are counted'\n"
    "- '30:9: another'\n"
    "entries:\n"
    "- feature: f_op_float32_madd\n"
    "  count: 1/192*n*m*ceil(192/sub_group_size)\n"
    "  per: sub-group\n"
    "  dtype: float32\n"
    "  op: madd\n"
    "- feature: f_mem_access_global_float32_load_lstrides:{0:1;1:n}\n"
    "  count: n*m\n"
    "  per: work-item\n"
    "  dtype: float32\n"
    "  array: a\n"
    "  tag: aLD\n"
    "  memory: global\n"
    "  direction: load\n"
    "  vector_width: 1\n"
    "  lid_strides: [\"1\", n]\n"
    "  gid_strides: [\"16\", 12*n]\n"
    "  loop_strides: [{loop: k, stride: \"16\"}]\n"
    "  afr: 1/16*m\n"
    "  at: [7, 13]\n"
    "- feature: f_mem_access_local_float32_load\n"
    "  count: 3*n*m\n"
    "  per: sub-group\n"
    "  dtype: float32\n"
    "  array: b\n"
    "  memory: local\n"
    "  direction: load\n"
    "  vector_width: 4\n"
    "  lid_strides: [\"0\", \"16\"]\n"
    "  gid_strides: [\"0\", \"0\"]\n"
    "  afr: 0.1*3/0.3\n" /* 1 but for rounding */
    "  bank_ways: 2\n"
    "  estimated: true\n"
    "- feature: f_mem_access_global_float64_store\n"
    "  count: 5*n\n"
    "  per: work-item\n"
    "  dtype: float64\n"
    "  array: c\n"
    "  memory: global\n"
    "  direction: store\n"
    "  vector_width: 1\n"
    "  lid_strides: [\"?\", \"?\"]\n"
    "  gid_strides: [\"?\", \"?\"]\n"
    "- feature: f_sync_barrier_local\n"
    "  count: 2*n\n"
    "  per: kernel\n"
    "- feature: f_thread_groups\n"
    "  count: 1/192*n*m\n"
    "  per: work-group\n"
    "- feature: f_atomic_local_int32_add_lstrides:{0:0;1:1}_afr:16\n"
    "  count: 7*n\n"
    "  per: work-item\n"
    "  dtype: int32\n"
    "  op: add\n"
    "  array: bins\n"
    "  memory: local\n"
    "  vector_width: 1\n"
    "  lid_strides: [\"0\", \"1\"]\n"
    "  gid_strides: [\"0\", \"0\"]\n"
    "  afr: \"16\"\n"
    "- feature: f_index_int32_add\n"
    "  count: 11*n\n"
    "  per: sub-group\n"
    "  dtype: int32\n"
    "  op: add\n"
    "- feature: f_memory_tag:tiledN16\n"
    "  count: n*m+5*n\n"
    "  per: kernel\n"
    "  tag: tiledN16\n"
    "- feature: f_onchip_tag:tiledN16\n"
    "  count: 13*n\n"
    "  per: kernel\n"
    "  tag: tiledN16\n";

static struct gcal_profile *decode(const char *text, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "p.yaml", err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    return profile;
}

static int set_up(void **state)
{
    struct gcal_error err = { 0 };

    *state = decode(profile_text, &err);
    if (!*state)
        print_error("%s\n", err.text);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    gcal_profile_destroy(*state);
    return 0;
}

static void reads_every_key(void **state)
{
    const struct gcal_profile *p = *state;
    const struct gcal_profile_entry *load = &p->entries[1];

    assert_string_equal(p->kernel, "tiled");
    assert_string_equal(p->parameters[1], "m");
    assert_int_equal(p->n_dims, 2);
    assert_int_equal(p->local_size[1], 12);
    assert_string_equal(p->groups[0], "1/16*n");
    assert_true(p->estimated);
    assert_true(p->index_arithmetic);
    assert_false(p->divergence);
    assert_int_equal(p->n_banks, 0);
    assert_int_equal(p->n_entries, 10);
    assert_int_equal(p->n_notes, 2);
    assert_string_equal(p->notes[1], "30:9: another");
    assert_int_equal(load->granularity, GCAL_FEATURE_PER_WORK_ITEM);
    assert_string_equal(load->gid_stride[1], "12*n");
    assert_string_equal(load->loop_strides[0].loop, "k");
    assert_string_equal(load->afr, "1/16*m");
    assert_int_equal(load->column, 13);
    assert_int_equal(p->entries[2].vector_width, 4);
    assert_int_equal(p->entries[2].bank_ways, 2);
    assert_true(p->entries[2].estimated);
    assert_false(load->estimated);
    assert_int_equal(load->bank_ways, 0);
    assert_int_equal(p->entries[6].kind, GCAL_FEATURE_ATOMIC);
    assert_string_equal(p->entries[6].op, "add");
    assert_string_equal(p->entries[6].lid_stride[1], "1");
    assert_int_equal(p->entries[8].kind, GCAL_FEATURE_MEMORY);
    assert_string_equal(p->entries[8].tag, "tiledN16");
    assert_null(p->entries[3].lid_stride[0]);
    assert_int_equal(p->entries[5].granularity, GCAL_FEATURE_PER_WORK_GROUP);
}

static void comes_back_from_its_text(void **state)
{
    struct gcal_error err = { 0 };
    char *text = gcal_profile_encode(*state, &err), *again;
    struct gcal_profile *profile = decode(text, &err);

    assert_non_null(profile);
    again = gcal_profile_encode(profile, &err);
    assert_string_equal(text, again);
    assert_null(profile->entries[3].lid_stride[0]);
    assert_string_equal(profile->entries[1].loop_strides[0].stride, "16");
    gcal_profile_destroy(profile);
    free(text);
    free(again);
}

static void a_copy_has_memory_of_its_own(void **state)
{
    struct gcal_error err = { 0 };
    char *text = gcal_profile_encode(*state, &err), *again;
    struct gcal_profile *original = decode(text, &err), *copy;

    free(text);
    original->entries[1].afr_premise = strdup("n >= 16");
    text = gcal_profile_encode(original, &err);
    copy = gcal_profile_copy(original, &err);
    gcal_profile_destroy(original);
    assert_non_null(copy);
    assert_string_equal(copy->entries[1].afr_premise, "n >= 16");
    assert_int_equal(copy->entries[1].n_loop_strides, 1);
    assert_int_equal(copy->n_notes, 2);
    again = gcal_profile_encode(copy, &err);
    assert_string_equal(text, again);
    assert_non_null(gcal_profile_add(copy, &err));
    gcal_profile_destroy(copy);
    free(text);
    free(again);
}

/* Every prefix of the bytes, and bytes with one changed, are read without harm. */
static void damaged_bytes_are_refused(void **state)
{
    struct gcal_buf buf = { 0 };
    struct gcal_wire wire;
    struct gcal_profile *profile;

    gcal_profile_put(&buf, *state);
    assert_false(buf.failed);
    for (size_t size = 0; size <= buf.size; size++) {
        wire = gcal_wire_open(buf.data, size);
        profile = gcal_profile_get(&wire);
        assert_int_equal(profile != NULL, size == buf.size);
        gcal_profile_destroy(profile);
    }
    for (size_t i = 0; i < buf.size; i++) {
        buf.data[i] ^= 0x80;
        wire = gcal_wire_open(buf.data, buf.size);
        gcal_profile_destroy(gcal_profile_get(&wire));
        buf.data[i] ^= 0x80;
    }
    gcal_buf_free(&buf);
}

/* One feature's count for n x m. */
static double count(const struct gcal_profile *profile, const char *feature, double n,
                    double m, double sub_group_size)
{
    const double sizes[] = { n, m };
    struct gcal_error err = { 0 };
    struct gcal_binding *binding =
        gcal_binding_create(profile, 1, &feature, sub_group_size, &err);
    double value = NAN;

    if (!binding || gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", feature, err.text);
    gcal_binding_destroy(binding);
    return value;
}

/* Copies between host and device, without a kernel. */
static void transfers_are_counted_by_way_and_memory(void **state)
{
    static const char text[] = "gpucal_profile: 6\n"
                               "kernel: copies\n"
                               "parameters: [n, m]\n"
                               "local_size: []\n"
                               "groups: []\n"
                               "entries:\n"
                               "- feature: f_transfer_bytes_to_device_pinned\n"
                               "  count: 4*n\n"
                               "  per: kernel\n"
                               "  direction: to_device\n"
                               "  memory: pinned\n"
                               "- feature: f_transfer_copies_to_device_pinned\n"
                               "  count: m\n"
                               "  per: kernel\n"
                               "  direction: to_device\n"
                               "  memory: pinned\n"
                               "- feature: f_transfer_bytes_from_device_mapped\n"
                               "  count: 7*n\n"
                               "  per: kernel\n"
                               "  direction: from_device\n"
                               "  memory: mapped\n";
    struct gcal_error err = { 0 };
    struct gcal_profile *written = decode(text, &err), *p;
    char *encoded = gcal_profile_encode(written, &err);

    (void)state;
    p = decode(encoded, &err);
    assert_non_null(p);
    assert_int_equal(p->n_dims, 0);
    assert_near(count(p, "f_transfer_bytes", 100, 3, 32), 1100, 0);
    assert_near(count(p, "f_transfer_bytes_to_device", 100, 3, 32), 400, 0);
    assert_near(count(p, "f_transfer_bytes_mapped", 100, 3, 32), 700, 0);
    assert_near(count(p, "f_transfer_bytes_to_device_mapped", 100, 3, 32), 0, 0);
    assert_near(count(p, "f_transfer_copies", 100, 3, 32), 3, 0);
    assert_near(count(p, "f_sync_kernel_launch", 100, 3, 32), 0, 0);
    gcal_profile_destroy(written);
    gcal_profile_destroy(p);
    free(encoded);
}

static void features_match_entries(void **state)
{
    static const struct {
        const char *feature;
        double count; /* n = 32, m = 24 */
    } cases[] = {
        { "f_mem_access", 768 + 2304 + 160 },
        { "f_mem_access_tag:aLD", 768 },
        { "f_mem_access_tag:bLD", 0 },
        { "f_mem_access_load", 768 + 2304 },
        { "f_mem_access_local", 2304 },
        { "f_mem_access_global_float32", 768 },
        { "f_mem_access_global_float64_load", 0 },
        { "f_mem_access_lstrides:{0:1}", 768 },
        { "f_mem_access_lstrides:{1:>15}",
          768 + 2304 }, /* of the store nothing is known */
        { "f_mem_access_width:4_lstrides:{1:>15}", 2304 },
        { "f_mem_access_width:1_lstrides:{1:>15}", 768 },
        { "f_mem_access_width:4", 2304 },
        { "f_mem_access_local_float32_load_width:4", 2304 },
        { "f_mem_access_width:2", 0 },
        { "f_mem_access_width:1", 768 + 160 },
        { "f_mem_access_lstrides:{1:n}", 768 },
        { "f_mem_access_lstrides:{1:<n}", 2304 },
        { "f_mem_access_lstrides:{2:0}", 768 + 2304 + 160 }, /* there is no third axis */
        { "f_mem_access_width:4_gstrides:{0:0}_afr:<=1", 2304 },
        { "f_mem_access_lstrides:{2:1}", 0 },
        { "f_mem_access_gstrides:{0:16;1:12*n}", 768 },
        { "f_mem_access_gstrides:{0:16;1:11*n}", 0 },
        { "f_mem_access_lstrides:{1:%8}", 768 + 2304 },
        { "f_mem_access_lstrides:{1:%5}", 0 },
        { "f_mem_access_lstrides:{0:%1}", 768 }, /* not of those with a stride of 0 */
        { "f_mem_access_afr:>1", 768 },
        { "f_mem_access_afr:1.5", 768 },
        { "f_mem_access_afr:1", 2304 },
        { "f_mem_access_afr:<=1", 2304 },
        { "f_mem_access_afr:<1", 0 },
        { "f_op_float32_mul", 0 },
        { "f_op_int32_add", 0 }, /* that of subscripts stands apart */
        { "f_index_int32_add", 352 },
        { "f_op", 24 },
        { "f_op_float32", 24 },
        { "f_op_float64", 0 },
        { "f_op_{float*}_{m*,!mul}", 24 },
        { "f_op_float32_{!madd}", 0 },
        { "f_index", 352 },
        { "f_index_{*int64}", 0 },
        { "f_mem_access_{float64,float32}_load", 768 + 2304 },
        { "f_atomic_{*int32}_{add,sub}", 224 },
        { "f_atomic_local_{!add}", 0 },
        { "f_atomic", 224 },
        { "f_atomic_local_int32_add_afr:>15", 224 },
        { "f_atomic_local_int32_add_lstrides:{0:1}", 0 },
        { "f_atomic_global", 0 },
        { "f_atomic_sub", 0 },
        { "f_sync_barrier_local", 64 },
        { "f_sync_kernel_launch", 0 },
        { "f_thread_groups", 4 },
        { "f_memory", 768 + 160 },
        { "f_memory_tag:tiledN16", 768 + 160 },
        { "f_memory_tag:tiled", 0 },
        { "f_onchip_tag:tiledN16", 416 },
        { "f_onchip_tag:tiled", 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (fabs(count(*state, cases[i].feature, 32, 24, 32) - cases[i].count) > 1e-9)
            fail_msg("%s counts %g", cases[i].feature,
                     count(*state, cases[i].feature, 32, 24, 32));
}

/* Those of the device are the same at all sizes. */
static void the_device_is_given(void **state)
{
    static const struct gcal_binding_device device = { 32,    7,   2048, 16,
                                                       65536, 3e6, 0,    NULL };
    static const char *const features[] = {
        "f_device_sub_group_size", "f_device_compute_units",
        "f_device_work_items",     "f_device_work_groups",
        "f_op_float32_madd",       "f_device_local_memory_bytes",
        "f_device_cache_bytes",
    };
    static const double wanted[] = { 32, 7, 2048, 16, 24, 65536, 3e6 };
    const double sizes[] = { 32, 24 };
    struct gcal_error err = { 0 };
    struct gcal_binding *binding =
        gcal_binding_create_on(*state, 7, features, &device, &err);
    double values[7];

    assert_non_null(binding);
    assert_int_equal(gcal_binding_eval(binding, sizes, values, &err), 0);
    for (size_t i = 0; i < 7; i++)
        assert_true(values[i] == wanted[i]);
    gcal_binding_destroy(binding);
    assert_null(gcal_binding_create(*state, 7, features, 32, &err));
    assert_non_null(strstr(err.text, "f_device_sub_group_size: it is the device's"));
}

/* Of work-groups of 64 work-items: 16 on a unit, 4 by their local memory, 32 work-items. */
static void a_wave_is_what_the_device_holds(void **state)
{
    static const struct {
        struct gcal_binding_device device;
        const char *local_bytes;
        double wave;
    } cases[] = {
        { { 32, 7, 2048, 16, 65536, 3e6, 0, NULL }, NULL, 7 * 16 },
        { { 32, 7, 2048, 16, 65536, 3e6, 0, NULL }, "16384", 7 * 4 },
        { { 32, 7, 640, 16, 65536, 3e6, 0, NULL }, NULL, 7 * 10 },
        { { 32, 7, 2048, 16, 65536, 3e6, 0, NULL }, "99999", 7 },
    };
    const char *feature = "f_footprint_wave";

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *bytes = cases[i].local_bytes;
        struct gcal_error err = { 0 };
        char text[600];
        struct gcal_profile *p;
        struct gcal_binding *binding;
        double n = 6400, value;

        snprintf(text, sizeof(text),
                 "gpucal_profile: 6\nkernel: k\nparameters: [n]\nlocal_size: [64]\n"
                 "groups: [1/64*n]\nsector_bytes: 32\nentries:\n"
                 "- {feature: f_footprint_wave_global_float32_load, count: wave_groups,\n"
                 "   per: kernel, dtype: float32, array: a, memory: global,\n"
                 "   direction: load, vector_width: 1, lid_strides: ['?'],\n"
                 "   gid_strides: ['?']}\n%s%s%s",
                 bytes ? "- {feature: f_local_memory_bytes, count: '" : "",
                 bytes ? bytes : "", bytes ? "', per: kernel}\n" : "");
        if (!(p = decode(text, &err)))
            fail_msg("%s", err.text);
        binding = gcal_binding_create_on(p, 1, &feature, &cases[i].device, &err);
        assert_int_equal(gcal_binding_eval(binding, &n, &value, &err), 0);
        assert_true(value == cases[i].wave);
        gcal_binding_destroy(binding);
        gcal_profile_destroy(p);
    }
}

/* ---- footprints by compute units ---- */

/* Of 7 units and n groups: each loads 4 sectors of its own and the same 10 of a table. */
static void units_share_what_all_groups_load(void **state)
{
    static const char text[] =
        "gpucal_profile: 6\nkernel: k\nparameters: [n]\nlocal_size: [64]\n"
        "groups: [n]\nsector_bytes: 32\nentries:\n"
        "- {feature: f_footprint_group_global_float32_load, count: 4*n, per: "
        "work-group,\n"
        "   dtype: float32, array: own, memory: global, direction: load,\n"
        "   vector_width: 1, lid_strides: ['?'], gid_strides: ['?']}\n"
        "- {feature: f_footprint_group_global_float32_load, count: 10*n, per: "
        "work-group,\n"
        "   dtype: float32, array: table, memory: global, direction: load,\n"
        "   vector_width: 1, lid_strides: ['?'], gid_strides: ['?']}\n"
        "- {feature: f_footprint_launch_global_float32_load, count: 4*n, per: kernel,\n"
        "   dtype: float32, array: own, memory: global, direction: load,\n"
        "   vector_width: 1, lid_strides: ['?'], gid_strides: ['?']}\n"
        "- {feature: f_footprint_launch_global_float32_load, count: 10, per: kernel,\n"
        "   dtype: float32, array: table, memory: global, direction: load,\n"
        "   vector_width: 1, lid_strides: ['?'], gid_strides: ['?']}\n";
    static const char *const features[] = { "f_footprint_unit_global_load",
                                            "f_footprint_shared_global_load" };
    static const struct {
        double n, unit, shared;
    } cases[] = {
        { 100, 4 * 100 + 7 * 10, 10 },
        { 7, 4 * 7 + 7 * 10, 0 },
        { 3, 4 * 3 + 3 * 10, 0 },
    };
    struct gcal_binding_device device = { 32, 7, 2048, 16, 65536, 3e6, 0, NULL };
    struct gcal_error err = { 0 };
    struct gcal_profile *p = decode(text, &err);
    struct gcal_binding *binding;
    double values[2];

    (void)state;
    if (!p)
        fail_msg("%s", err.text);
    binding = gcal_binding_create_on(p, 2, features, &device, &err);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(gcal_binding_eval(binding, &cases[i].n, values, &err), 0);
        assert_true(values[0] == cases[i].unit && values[1] == cases[i].shared);
    }
    gcal_binding_destroy(binding);
    assert_null(gcal_binding_create(p, 2, features, 32, &err));
    assert_non_null(strstr(err.text, "compute units"));
    gcal_profile_destroy(p);
}

/* ---- the kernel as devices build it ---- */

/* Of one work-group of 64; 0 private bytes are known where the size of work-groups is. */
static const char built_text[] = "gpucal_profile: 6\n"
                                 "kernel: k\n"
                                 "parameters: [n]\n"
                                 "local_size: [64]\n"
                                 "groups: [1/64*n]\n"
                                 "sector_bytes: 32\n"
                                 "estimated: false\n"
                                 "built:\n"
                                 "- device: gpu-a\n"
                                 "  registers: 100\n"
                                 "  private_bytes: 616\n"
                                 "  work_group_size: 256\n"
                                 "  multiple: 32\n"
                                 "- device: cpu-b\n"
                                 "  private_bytes: 0\n"
                                 "  work_group_size: 4096\n"
                                 "entries:\n"
                                 "- feature: f_footprint_wave_global_float32_load\n"
                                 "  count: wave_groups\n"
                                 "  per: kernel\n"
                                 "  dtype: float32\n"
                                 "  array: a\n"
                                 "  memory: global\n"
                                 "  direction: load\n"
                                 "  vector_width: 1\n"
                                 "  lid_strides: ['?']\n"
                                 "  gid_strides: ['?']\n";

static void keeps_what_devices_build(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *p = decode(built_text, &err), *copy;
    struct gcal_built built = { .registers = 40 };
    char *text;

    (void)state;
    if (!p)
        fail_msg("%s", err.text);
    assert_non_null(copy = gcal_profile_copy(p, NULL));
    gcal_profile_destroy(p);
    assert_non_null(text = gcal_profile_encode(copy, NULL));
    assert_string_equal(text, built_text);
    free(text);
    assert_int_equal(gcal_built_find(copy, "gpu-a")->private_bytes, 616);
    assert_null(gcal_built_find(copy, "gpu-c"));
    assert_null(gcal_built_find(copy, NULL));
    assert_int_equal(gcal_built_set(copy, "gpu-a", &built, NULL), 0);
    assert_int_equal(gcal_built_set(copy, "gpu-c", &(struct gcal_built){ 0 }, NULL), 0);
    assert_int_equal(copy->n_built, 2);
    assert_int_equal(gcal_built_find(copy, "gpu-a")->registers, 40);
    gcal_profile_destroy(copy);
}

static const char arguments_text[] = "gpucal_profile: 6\n"
                                     "kernel: k\n"
                                     "parameters: [n]\n"
                                     "local_size: [64, 2]\n"
                                     "groups: [1/64*n, \"1\"]\n"
                                     "estimated: false\n"
                                     "arguments:\n"
                                     "- {name: x, memory: global, bytes: 4*n}\n"
                                     "- {name: t, memory: local, bytes: 12+n}\n"
                                     "- {name: c, memory: constant, bytes: \"100\"}\n"
                                     "entries:\n"
                                     "- feature: f_local_memory_bytes\n"
                                     "  count: \"1000\"\n"
                                     "  per: kernel\n"
                                     "- feature: f_op_float16_add\n"
                                     "  count: n\n"
                                     "  per: sub-group\n"
                                     "  dtype: float16\n"
                                     "  op: add\n";

/* With n = 6400: work-groups of 128, 7412 bytes of local memory, buffers of 25600 and 100. */
static void launches_need_memory(void **state)
{
    static const struct {
        struct gcal_limits limits;
        const char *says; /* NULL: it runs */
    } cases[] = {
        { { 128, 0, 7412, 25600, 25700, true, false, false }, NULL },
        { { 0, 0, 0, 0, 0, true, true, true }, NULL },
        { { 127, 0, 0, 0, 0, true, true, true },
          "128 work-items, of at most 127 work-items" },
        { { 128, 0, 7411, 0, 0, true, true, true }, "7.412 kB, of at most 7.411 kB" },
        { { 128, 0, 0, 25599, 0, true, true, true }, "larger buffer" },
        { { 128, 0, 0, 25600, 25699, true, true, true },
          "n 6400: the launch needs more memory" },
        { { 0, 0, 0, 0, 0, false, true, true }, "float16" },
    };
    struct gcal_error err = { 0 };
    struct gcal_profile *p = decode(arguments_text, &err), *copy;
    struct gcal_binding_device device = { 32, 7, 2048, 16, 65536, 3e6, 0, NULL };
    const struct gcal_model model = { 0 };
    const struct gcal_binding_subject subject = { .model = &model };
    struct gcal_binding *binding;
    double n = 6400;
    char *text;

    (void)state;
    if (!p)
        fail_msg("%s", err.text);
    assert_non_null(copy = gcal_profile_copy(p, NULL));
    gcal_profile_destroy(p);
    assert_non_null(text = gcal_profile_encode(copy, NULL));
    assert_string_equal(text, arguments_text);
    free(text);
    binding = gcal_binding_create_for(copy, &subject, &device, &err);
    if (!binding)
        fail_msg("%s", err.text);
    gcal_profile_destroy(copy);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error why = { 0 };
        int rc = gcal_binding_check_limits(binding, &n, &cases[i].limits, &why);

        if (rc != (cases[i].says ? -1 : 0) ||
            (cases[i].says &&
             (!strstr(why.text, cases[i].says) || why.reason != GCAL_REASON_CANNOT_RUN)))
            fail_msg("case %zu: %d, %s", i, rc, why.text);
    }
    gcal_binding_destroy(binding);
}

/* 65536 registers are enough for 10 work-groups of 64 times 100; work-items for 16. */
static void registers_are_of_the_built_kernel(void **state)
{
    static const struct {
        const char *type;
        double registers, wanted[4];
    } cases[] = {
        { "gpu-a", 65536, { 65536, 100, 616, 7 * 10 } },
        { "gpu-a", 0, { 0, 100, 616, 7 * 16 } },
        { "gpu-a", 6000, { 6000, 100, 616, 7 } },
        { "cpu-b", 65536, { 65536, 0, 0, 7 * 16 } },
        { "gpu-c", 65536, { 65536, 0, 0, 7 * 16 } },
        { NULL, 65536, { 65536, 0, 0, 7 * 16 } },
    };
    static const char *const features[] = { "f_device_registers", "f_kernel_registers",
                                            "f_kernel_private_bytes",
                                            "f_footprint_wave" };
    struct gcal_profile *p = decode(built_text, NULL);
    double n = 6400, values[4];

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_binding_device device = {
            32, 7, 2048, 16, 65536, 3e6, cases[i].registers, cases[i].type
        };
        struct gcal_binding *binding =
            gcal_binding_create_on(p, 4, features, &device, NULL);

        assert_int_equal(gcal_binding_eval(binding, &n, values, NULL), 0);
        assert_memory_equal(values, cases[i].wanted, sizeof(values));
        gcal_binding_destroy(binding);
    }
    gcal_profile_destroy(p);
}

static void refuses_impossible_builds(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        { "registers: 100", "registers: -1", "registers" },
        { "multiple: 32", "waves: 32", "waves" },
        { "device: cpu-b", "multiple: 8", "'device' is missing" },
        { "gpucal_profile: 6", "gpucal_profile: 5", "count the kernel again" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *at = strstr(built_text, cases[i].from);
        struct gcal_error err = { 0 };
        char text[2000];

        assert_non_null(at);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - built_text), built_text,
                 cases[i].to, at + strlen(cases[i].from));
        assert_null(decode(text, &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s", err.text);
    }
}

/* The same profile with the width in the vector's name, as it is counted now. */
static void strides_are_of_scalars(void **state)
{
    static const char old[] = "f_mem_access_local_float32_load\n";
    const char *at = strstr(profile_text, old);
    struct gcal_profile *profile;
    struct gcal_error err = { 0 };
    char text[8000];

    (void)state;
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s_width:4%s",
             (int)(at - profile_text + strlen(old) - 1), profile_text,
             at + strlen(old) - 1);
    profile = decode(text, &err);
    assert_non_null(profile);
    assert_near(count(profile, "f_mem_access", 32, 24, 32), 768 + 2304 + 160, 1e-9);
    assert_near(count(profile, "f_mem_access_lstrides:{1:>15}", 32, 24, 32), 768, 1e-9);
    assert_near(count(profile, "f_mem_access_lstrides:{2:0}", 32, 24, 32), 768 + 160,
                1e-9);
    assert_near(count(profile, "f_mem_access_lstrides:{1:%8}", 32, 24, 32), 768 + 2304,
                1e-9);
    assert_near(count(profile, "f_mem_access_width:4_lstrides:{1:16}", 32, 24, 32), 2304,
                1e-9);
    assert_near(count(profile, "f_mem_access_width:1_lstrides:{1:16}", 16, 24, 32), 384,
                1e-9);
    gcal_profile_destroy(profile);
}

/* lstrides 1:n is 16 at n = 16: the same feature takes more entries there. */
static void strides_follow_the_sizes(void **state)
{
    const char *is_16 = "f_mem_access_lstrides:{1:16}";
    const char *afr = "f_mem_access_afr:>1";

    assert_near(count(*state, is_16, 16, 24, 32), 384 + 1152, 1e-9);
    assert_near(count(*state, is_16, 32, 24, 32), 2304, 1e-9);
    assert_near(count(*state, afr, 16, 12, 32), 0, 0);
    assert_near(count(*state, afr, 16, 24, 32), 384, 0);
}

static void sub_groups_are_the_devices(void **state)
{
    const char *madd = "f_op_float32_madd";
    struct gcal_error err = { 0 };

    assert_near(count(*state, madd, 32, 24, 32), 4 * 6, 1e-9);
    assert_near(count(*state, madd, 32, 24, 64), 4 * 3, 1e-9);
    assert_near(count(*state, madd, 32, 24, 128), 4 * 2, 1e-9); /* the last half full */
    assert_null(gcal_binding_create(*state, 1, &madd, 0, &err));
    assert_non_null(strstr(err.text, "invalid sub-group size 0"));
}

static void sizes_outside_the_assumptions_are_refused(void **state)
{
    const char *feature = "f_thread_groups";
    const double odd[] = { 40, 24 }, low[] = { 0, 24 };
    struct gcal_error err = { 0 };
    struct gcal_binding *binding = gcal_binding_create(*state, 1, &feature, 32, &err);
    double value = 0.713;

    assert_int_equal(gcal_binding_eval(binding, odd, &value, &err), -1);
    assert_string_equal(
        err.text, "n 40, m 24: 'n % 16 = 0' does not hold: work-groups divide the global "
                  "size; if the kernel leaves out work-items beyond it, count it with "
                  "--global '16*ceil(n/16)' in its place");
    assert_int_equal(gcal_binding_eval(binding, low, &value, &err), -1);
    assert_non_null(strstr(err.text, "'n >= 16' does not hold"));
    gcal_binding_destroy(binding);
    feature = "f_cl_wall_time";
    assert_null(gcal_binding_create(*state, 1, &feature, 32, &err));
    assert_non_null(strstr(err.text, "measured, not counted"));
}

/* They would count 0. */
static void what_was_not_counted_is_refused(void **state)
{
    static const struct {
        const char *key, *feature;
    } cases[] = { { "banks: 32", "f_local_pass_float32" },
                  { "divergence: true", "f_divergent_branch" },
                  { "index_arithmetic: true", "f_index_int32_add" } };
    static const char text[] = "gpucal_profile: 6\nkernel: k\nparameters: [n]\n"
                               "local_size: [64]\ngroups: [n]\n%s\nentries: []\n";

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t with = 0; with < 2; with++) {
            struct gcal_error err = { 0 };
            struct gcal_binding *binding;
            struct gcal_profile *p;
            char all[400];

            snprintf(all, sizeof(all), text, with ? cases[i].key : "");
            p = decode(all, &err);
            binding = gcal_binding_create(p, 1, &cases[i].feature, 32, &err);
            assert_int_equal(binding != NULL, with);
            /* One command gives all that is missing. */
            if (!with && !strstr(err.text, "it was not counted: 'gpucal count -o FILE' "
                                           "counts all that models need"))
                fail_msg("%s", err.text);
            gcal_binding_destroy(binding);
            gcal_profile_destroy(p);
        }
}

/* Costs are of 32 banks and sectors of 32 bytes. */
static void other_banks_and_sectors_are_refused(void **state)
{
    static const struct {
        const char *key, *feature, *says;
    } cases[] = {
        { "banks: 8", "f_local_pass_float32",
          "a number of banks of 8, and devices are calibrated for 32: count the kernel "
          "without --banks" },
        { "banks: 32\nsector_bytes: 128", "f_sector",
          "sectors of 128, and devices are calibrated for 32: count the kernel without "
          "--traffic" },
        { "banks: 32\nsector_bytes: 32", "f_sector", NULL },
        { "banks: 8\nsector_bytes: 128", "f_op_float32_add", NULL },
    };
    static const char text[] = "gpucal_profile: 6\nkernel: k\nparameters: [n]\n"
                               "local_size: [64]\ngroups: [n]\n%s\nentries: []\n";

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };
        struct gcal_binding *binding;
        struct gcal_profile *p;
        char all[400];

        snprintf(all, sizeof(all), text, cases[i].key);
        p = decode(all, &err);
        binding = gcal_binding_create(p, 1, &cases[i].feature, 32, &err);
        if (cases[i].says ? binding || !strstr(err.text, cases[i].says) : !binding)
            fail_msg("%s: %s", cases[i].key, err.text);
        gcal_binding_destroy(binding);
        gcal_profile_destroy(p);
    }
}

static const char set_text[] = "gpucal_profile: 6\n"
                               "kernel: k\n"
                               "parameters: [n]\n"
                               "local_size: [64]\n"
                               "groups: [1/64*n]\n"
                               "assumptions: n % 64 = 0\n"
                               "divergence: true\n"
                               "estimated: true\n"
                               "notes:\n"
                               "- '3:1: of all'\n"
                               "entries:\n"
                               "- feature: f_thread_groups\n"
                               "  count: 1/64*n\n"
                               "  per: kernel\n"
                               "sub_groups:\n"
                               "- size: 16\n"
                               "  estimated: true\n"
                               "  entries:\n"
                               "  - feature: f_op_float32_add\n"
                               "    count: 1/16*n\n"
                               "    per: sub-group\n"
                               "    dtype: float32\n"
                               "    op: add\n"
                               "- size: 64\n"
                               "  estimated: true\n"
                               "  notes:\n"
                               "  - '4:1: of 64'\n"
                               "  entries:\n"
                               "  - feature: f_op_float32_add\n"
                               "    count: 1/64*n\n"
                               "    per: sub-group\n"
                               "    dtype: float32\n"
                               "    op: add\n";

static void a_set_has_a_profile_for_each_size(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_yaml *root = gcal_yaml_parse(set_text, strlen(set_text), "p.yaml", &err);
    struct gcal_profile_set set, again;
    const struct gcal_profile *of_64;
    char *text;

    (void)state;
    if (gcal_profile_set_decode(root, &set, &err) < 0)
        fail_msg("%s", err.text);
    gcal_yaml_destroy(root);
    assert_int_equal(set.n, 2);
    of_64 = gcal_profile_set_find(&set, 64, &err);
    assert_ptr_equal(of_64, set.profiles[1]);
    assert_string_equal(of_64->assumptions, "n % 64 = 0 and sub_group_size = 64");
    assert_int_equal(of_64->n_entries, 2);
    /* as counted: operations come first */
    assert_string_equal(of_64->entries[0].count, "1/64*n");
    assert_string_equal(of_64->entries[1].feature, "f_thread_groups");
    assert_int_equal(of_64->n_notes, 2);
    assert_int_equal(set.profiles[0]->n_notes, 1);
    assert_null(gcal_profile_set_find(&set, 4, &err));
    assert_string_equal(err.text, "kernel k was counted for sub-groups of 16 and 64 "
                                  "work-items, and not for the device's of 4: count it "
                                  "with --sub-group 4");
    /* The common part of copies is found again. */
    for (size_t k = 0; k < 2; k++)
        assert_non_null(again.profiles[k] = gcal_profile_copy(set.profiles[k], NULL));
    again.n = 2;
    gcal_profile_set_clear(&set);
    assert_non_null(text = gcal_profile_set_encode(&again, &err));
    assert_string_equal(text, set_text);
    free(text);
    gcal_profile_set_clear(&again);
    assert_null(decode(set_text, &err)); /* where one is wanted */
    assert_non_null(strstr(err.text, "several sizes of sub-groups"));
}

static void damaged_sets_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        { "size: 64", "size: 16", "a size of sub-groups is twice" },
        { "size: 64", "size: 0", "size" },
        { "- size: 64\n  ", "- ", "'size' is missing" },
        { "n % 64 = 0", "sub_group_size = 32", "the size of sub-groups is that of each" },
        { "  - feature: f_op_float32_add\n    count: 1/64*n",
          "  - feature: f_op_float32_add\n    count: 1/64*k", "count: " },
        { "    op: add\n- size: 64", "    op: add\n- size: 64\n  size: 65", "duplicate" },
        { "  - '4:1: of 64'", "  - [4]", "notes" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *at = strstr(set_text, cases[i].from);
        struct gcal_error err = { 0 };
        struct gcal_profile_set set;
        struct gcal_yaml *root;
        char text[2000];

        assert_non_null(at);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - set_text), set_text,
                 cases[i].to, at + strlen(cases[i].from));
        root = gcal_yaml_parse(text, strlen(text), "p.yaml", &err);
        if (root && gcal_profile_set_decode(root, &set, &err) == 0)
            fail_msg("case %zu is taken", i);
        gcal_yaml_destroy(root);
        if (!strstr(err.text, cases[i].message))
            fail_msg("case %zu: %s", i, err.text);
    }
}

/* Counted for sub-groups of 16, a profile is good for no others. */
static void other_sub_group_sizes_are_refused(void **state)
{
    static const char text[] =
        "gpucal_profile: 6\nkernel: k\nparameters: [n]\nlocal_size: [64]\n"
        "groups: [1/64*n]\nassumptions: n %% 64 = 0 and %s\nentries:\n"
        "- {feature: f_sync_kernel_launch, count: \"1\", per: kernel}\n";
    const char *feature = "f_sync_kernel_launch";
    char of_16[400], of_some[400];
    struct gcal_error err = { 0 };
    struct gcal_profile *profile;
    struct gcal_binding *binding;

    (void)state;
    snprintf(of_16, sizeof(of_16), text, "sub_group_size = 16");
    snprintf(of_some, sizeof(of_some), text, "sub_group_size < n");
    profile = decode(of_16, &err);
    assert_null(gcal_binding_create(profile, 1, &feature, 32, &err));
    assert_string_equal(err.text, "kernel k was counted for other sub-groups than the "
                                  "device's of 32 work-items (count it with --sub-group "
                                  "32): 'sub_group_size = 16' does not hold");
    binding = gcal_binding_create(profile, 1, &feature, 16, &err);
    assert_non_null(binding);
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
    /* what depends on sizes waits for them */
    profile = decode(of_some, &err);
    binding = gcal_binding_create(profile, 1, &feature, 32, &err);
    assert_non_null(binding);
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
}

static void negative_counts_are_refused(void **state)
{
    const char *feature = "f_sync_barrier_local";
    struct gcal_error err = { 0 };
    struct gcal_profile *profile =
        decode("gpucal_profile: 6\nkernel: k\nparameters: [n]\nlocal_size: [1]\n"
               "groups: [n]\nentries:\n"
               "- {feature: f_sync_barrier_local, count: 7 - n, per: kernel}\n",
               &err);
    struct gcal_binding *binding = gcal_binding_create(profile, 1, &feature, 32, &err);
    double n = 9, value;

    (void)state;
    assert_int_equal(gcal_binding_eval(binding, &n, &value, &err), -1);
    assert_non_null(strstr(err.text, "n 9: f_sync_barrier_local: invalid count -2"));
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
}

/* 'text' in place of the first 'old' in the good profile. */
static char *with(const char *old, const char *text)
{
    const char *at = strstr(profile_text, old);
    size_t before = (size_t)(at - profile_text);
    char *result = calloc(1, sizeof(profile_text) + strlen(text));

    memcpy(result, profile_text, before);
    strcpy(result + before, text);
    strcat(result, at + strlen(old));
    return result;
}

/* Definitions are in sizes and earlier definitions, and read as their texts. */
static void definitions_are_read(void **state)
{
    char *text = with("entries:", "definitions: {rows: n+1, all: rows*m}\nentries:");
    char *count = strstr(text, "count: n*m\n");
    struct gcal_error err = { 0 };
    struct gcal_profile *p;

    (void)state;
    memcpy(count, "count: all\n", strlen("count: all\n"));
    p = decode(text, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(p->entries[1].count, "(n+1)*m");
    gcal_profile_destroy(p);
    free(text);
}

/* Long counts that repeat are written once, and come back. */
static void repeated_counts_are_written_once(void **state)
{
    static const char long_count[] = "2*max(min(n,m-1),1)*floor((n+63)/64)*step(m-n)";
    struct gcal_error err = { 0 };
    struct gcal_profile *p = decode(profile_text, &err), *again;
    char *text;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        free(p->entries[i].count);
        p->entries[i].count = strdup(long_count);
    }
    assert_non_null(text = gcal_profile_encode(p, &err));
    assert_non_null(strstr(text, "gpucal_profile: 6\n"));
    assert_null(strstr(strstr(text, long_count) + 1, long_count));
    assert_non_null(again = decode(text, &err));
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(again->entries[i].count, long_count);
    free(text);
    gcal_profile_destroy(p);
    gcal_profile_destroy(again);
}

static void hostile_profiles_are_refused(void **state)
{
    static const struct {
        const char *old, *text, *says;
    } bad[] = {
        { "profile: 6", "profile: 7",
          "p.yaml:1:17: version 7 of the format, written by another" },
        { "profile: 6", "profile: -1", "p.yaml:1:17: " },
        { "kernel: tiled\n", "", "'kernel' is missing" },
        { "kernel: tiled", "kernel: [tiled]", "p.yaml:2:9: kernel" },
        { "[n, m]", "[n, n]", "p.yaml:4:17: the name 'n' is in use" },
        { "[n, m]", "[n, sub_group_size]", "the name 'sub_group_size' is in use" },
        { "[n, m]", "[n, 2m]", "'2m' is not an identifier" },
        { "[n, m]", "[n]", "known name" },
        { "[16, 12]", "[16, 0]", "p.yaml:5:" },
        { "[16, 12]", "[1, 1, 1, 1]", "list of 0 to 3" },
        { "[1/16*n, 1/12*m]", "[n]", "groups: expected a list of 2 to 2" },
        { "n % 16 = 0", "n % 16", "p.yaml:7:" },
        { "n % 16 = 0", "q % 16 = 0", "known name" },
        { "estimated: true", "estimated: 7", "p.yaml:9:12: estimated" },
        { "f_op_float32_madd", "f_op_float31_madd", "p.yaml:14:12: " },
        { "f_op_float32_madd", "f_cl_wall_time", "counts, not times" },
        { "f_op_float32_madd", "f_device_work_items", "no facts of devices" },
        { "f_op_float32_madd", "f_footprint_unit", "no facts of devices" },
        { "f_op_float32_madd", "f_op_float32", "name its type and operation" },
        { "f_op_float32_madd", "'f_op_float32_{madd}'", "name its type and operation" },
        { "count: n*m", "count: n*(m", "p.yaml:20:10: count: column 5" },
        { "count: n*m", "count: {n: m}", "p.yaml:20:" },
        { "per: work-item", "per: workitem", "unknown 'workitem'" },
        { "  op: madd\n", "", "needs 'dtype' and 'op'" },
        { "vector_width: 1", "vector_width: 1e9", "vector_width" },
        { "lid_strides: [\"1\", n]", "lid_strides: [n]", "list of 2 to 2" },
        { "  memory: global\n", "", "'memory' is missing" },
        { "{loop: k, stride: \"16\"}", "{loop: k}", "'stride' is missing" },
        { "index_arithmetic: true", "banks: -3", "banks" },
        { "index_arithmetic: true", "divergence: 7", "divergence" },
        { "bank_ways: 2", "bank_ways: 0", "bank_ways" },
        { "  estimated: true", "  estimated: maybe", "estimated" },
        { "  op: add\n", "", "needs 'dtype' and 'op'" },
        { "  array: bins\n", "  array: bins\n  direction: load\n", "no direction" },
        { "- '30:9: another'", "- [30, 9]", "notes" },
        { "at: [7, 13]", "at: [7]", "at: expected a list" },
        { "array: a\n", "arrray: a\n", "array" },
        { "entries:", "arguments: [{name: x, memory: global}]\nentries:",
          "'bytes' is missing" },
        { "entries:", "arguments: [{name: x, memory: any, bytes: n}]\nentries:",
          "memory: unknown 'any'" },
        { "entries:", "arguments: [{name: x, memory: local, bytes: k}]\nentries:",
          "bytes: " },
        { "entries:", "definitions: [n]\nentries:", "definitions: expected a map" },
        { "entries:", "definitions: {n: m}\nentries:", "the name 'n' is in use" },
        { "entries:", "definitions: {2n: m}\nentries:", "'2n' is not an identifier" },
        { "entries:", "definitions: {a: b+1, b: n}\nentries:", "a: column 1" },
        { "entries:", "definitions: {a: n+(}\nentries:", "a: column" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char *text = with(bad[i].old, bad[i].text);
        struct gcal_error err = { 0 };

        assert_null(decode(text, &err));
        assert_int_equal(err.code, GCAL_EINPUT);
        if (!strstr(err.text, bad[i].says) || strncmp(err.text, "p.yaml:", 7) != 0)
            fail_msg("'%s' gave: %s", bad[i].text, err.text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(comes_back_from_its_text),
        cmocka_unit_test(a_copy_has_memory_of_its_own),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(transfers_are_counted_by_way_and_memory),
        cmocka_unit_test(features_match_entries),
        cmocka_unit_test(the_device_is_given),
        cmocka_unit_test(a_wave_is_what_the_device_holds),
        cmocka_unit_test(keeps_what_devices_build),
        cmocka_unit_test(launches_need_memory),
        cmocka_unit_test(units_share_what_all_groups_load),
        cmocka_unit_test(registers_are_of_the_built_kernel),
        cmocka_unit_test(refuses_impossible_builds),
        cmocka_unit_test(strides_are_of_scalars),
        cmocka_unit_test(strides_follow_the_sizes),
        cmocka_unit_test(sub_groups_are_the_devices),
        cmocka_unit_test(sizes_outside_the_assumptions_are_refused),
        cmocka_unit_test(what_was_not_counted_is_refused),
        cmocka_unit_test(other_banks_and_sectors_are_refused),
        cmocka_unit_test(a_set_has_a_profile_for_each_size),
        cmocka_unit_test(damaged_sets_are_refused),
        cmocka_unit_test(other_sub_group_sizes_are_refused),
        cmocka_unit_test(negative_counts_are_refused),
        cmocka_unit_test(definitions_are_read),
        cmocka_unit_test(repeated_counts_are_written_once),
        cmocka_unit_test(hostile_profiles_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
