/* test_references.c - what the host computes for variants of a kernel is computed once */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "calib/plan/private.h"
#include "kernels/generate/generate.h"
#include "tests/unit.h"

#define SEED 7

static struct gcal_catalogue *catalogue;

static void generate(size_t n, const char *const *tags, struct gcal_kernel_list *list)
{
    struct gcal_error err = { 0 };

    *list = (struct gcal_kernel_list){ 0 };
    if (gcal_catalogue_generate(catalogue, n, tags, GCAL_MATCH_SUPERSET, NULL, list,
                                &err) < 0)
        fail_msg("%s", err.text);
}

/* Outputs of zeros are wrong; 'why' says what is right. */
static void compare_zeros(struct gcal_memo *references, const struct gcal_kernel *kernel,
                          struct gcal_error *why)
{
    struct gcal_geometry geometry = { 0 };
    void **outputs = calloc(kernel->n_args + 1, sizeof(*outputs));
    double worst;

    assert_int_equal(gcal_kernel_geometry(kernel, kernel->n_check_sizes,
                                          kernel->check_sizes, &geometry, why),
                     0);
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].output)
            outputs[i] = calloc((size_t)geometry.arg_values[i], sizeof(double));
    assert_int_equal(
        gcal_plan_compare_outputs(references, kernel, SEED, outputs, &worst, why), 1);
    for (size_t i = 0; i < kernel->n_args; i++)
        free(outputs[i]);
    free(outputs);
    gcal_kernel_geometry_clear(&geometry);
}

/* The number of results that the host computes; the messages are as without references. */
static size_t compute_all(const struct gcal_kernel_list *list, size_t most_bytes)
{
    struct gcal_error err = { 0 };
    struct gcal_memo *references = gcal_plan_references_create(most_bytes, &err);
    size_t n;

    assert_non_null(references);
    for (size_t i = 0; i < list->n_kernels; i++) {
        struct gcal_error with = { 0 }, without = { 0 };

        compare_zeros(references, list->kernels[i], &with);
        compare_zeros(NULL, list->kernels[i], &without);
        assert_string_equal(with.text, without.text);
    }
    n = gcal_memo_n_made(references);
    gcal_memo_destroy(references);
    return n;
}

static void variants_share_a_reference(void **state)
{
    static const char *const tags[] = { "kmeans",   "dtype:float32",  "D:4,8",
                                        "N:64,128", "points_local:0", "K:64",
                                        "M:4096" };
    struct gcal_kernel_list list;

    (void)state;
    generate(7, tags, &list);
    assert_int_equal(list.n_kernels, 4);
    assert_int_equal(compute_all(&list, GCAL_PLAN_REFERENCES_BYTES), 2); /* D is used */
    gcal_kernel_list_clear(&list);
}

/* Each kernel is asked for twice, with the other between. */
static void the_oldest_are_forgotten(void **state)
{
    static const char *const tags[] = { "kmeans", "dtype:float32,float64", "D:4",
                                        "N:64",   "points_local:0",        "K:64",
                                        "M:4096" };
    struct gcal_kernel_list list, doubled;

    (void)state;
    generate(7, tags, &list);
    doubled = list;
    doubled.n_kernels = 2 * list.n_kernels;
    doubled.kernels = calloc(doubled.n_kernels, sizeof(struct gcal_kernel *));
    for (size_t i = 0; i < doubled.n_kernels; i++)
        doubled.kernels[i] = list.kernels[i % list.n_kernels];
    assert_int_equal(compute_all(&doubled, GCAL_PLAN_REFERENCES_BYTES), 2);
    assert_true(compute_all(&doubled, 1) > 2);
    free(doubled.kernels);
    gcal_kernel_list_clear(&list);
}

/* A derived kernel is its own reference. */
static void sources_differ(void **state)
{
    static const char *const tags[] = { "matmul_sq_memory", "accumulators:1,8",
                                        "n:1024" };
    struct gcal_kernel_list list;
    size_t n;

    (void)state;
    generate(3, tags, &list);
    n = list.n_kernels;
    assert_true(n >= 2);
    assert_int_equal(compute_all(&list, GCAL_PLAN_REFERENCES_BYTES), n);
    gcal_kernel_list_clear(&list);
}

/* A wrong integer beside large floats, a wrong float beside small integers, and what differs in padding
 * or in integers whose bits are those of a NaN.
 */
static void structures_are_compared_by_member(void **state)
{
    struct row {
        int32_t id;
        float mass;
        uint8_t kind; /* and three bytes of padding */
    };
    static const struct row right[] = { { -1, 1e9f, 3 }, { 70000, 2e9f, 4 } };
    struct gcal_arg arg = { .name = "rows",
                            .kind = GCAL_ARG_BUFFER,
                            .dtype = "float32",
                            .members = "int32 float32 uint8 pad*3",
                            .value = "6",
                            .output = true };
    struct gcal_kernel kernel = {
        .generator = "made", .entry = "made", .n_args = 1, .args = &arg, .tolerance = 1e-5
    };
    const struct {
        size_t byte, row;
        const char *member;
    } wrong[] = { { 0, 1, "int32 at byte 0," },
                  { 2, 0, "int32 at byte 0," },
                  { 7, 1, "float32 at byte 4," },
                  { 8, 0, "uint8 at byte 8," },
                  { 10, 1, NULL } };
    void *others[] = { (void *)right }, *outputs[1];
    struct gcal_error why = { 0 };
    double worst;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct row rows[2];

        memcpy(rows, right, sizeof(rows));
        ((unsigned char *)&rows[wrong[i].row])[wrong[i].byte] ^= 0x20;
        outputs[0] = rows;
        assert_int_equal(
            gcal_plan_compare_devices(&kernel, outputs, others, &worst, &why),
            wrong[i].member != NULL);
        assert_true(!wrong[i].member || strstr(why.text, wrong[i].member));
        assert_int_equal(gcal_plan_check_numbers(&kernel, outputs, &why), 0);
    }
}

/* Definitions that the reference does not use are no part of the key; the order of those
 * that it uses is.
 */
static void keys_have_what_a_reference_uses(void **state)
{
    static const char *const tags[] = { "kmeans", "dtype:float32",  "D:8",
                                        "N:64",   "points_local:0", "K:64",
                                        "M:4096" };
    static const char *const texts[] = {
        "#define A 1\n#define B 2\nvoid reference(int x) { x = A; }\n",
        "#define A 1\n#define B 3\nvoid reference(int x) { x = A; }\n",
        "#define A 2\n#define B 2\nvoid reference(int x) { x = A; }\n",
        "#define A B\n#define B 2\nvoid reference(int x) { x = A; }\n",
        "#define A B\n#define B 3\nvoid reference(int x) { x = A; }\n",
        "#define A 1\n#define B 2\nvoid reference(int x) { x = A ## B; }\n",
        "#define A 1\n#define B 3\nvoid reference(int x) { x = A ## B; }\n",
    };
    enum { N_TEXTS = sizeof(texts) / sizeof(*texts) };
    char keys[N_TEXTS][GCAL_HASH_TEXT_SIZE];
    struct gcal_kernel_list list;
    struct gcal_kernel kernel;

    (void)state;
    generate(7, tags, &list);
    kernel = *list.kernels[0];
    for (size_t i = 0; i < N_TEXTS; i++) {
        char text[100];

        strcpy(text, texts[i]);
        kernel.reference = text;
        assert_int_equal(gcal_plan_reference_key(&kernel, SEED, keys[i], NULL), 0);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(strcmp(keys[k], keys[i]) == 0, k == 0 && i == 1);
    }
    gcal_kernel_list_clear(&list);
}

static int open_catalogue(void **state)
{
    (void)state;
    return (catalogue = gcal_catalogue_open(NULL, NULL)) ? 0 : -1;
}

static int close_catalogue(void **state)
{
    (void)state;
    gcal_catalogue_close(catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_share_a_reference),
        cmocka_unit_test(the_oldest_are_forgotten),
        cmocka_unit_test(sources_differ),
        cmocka_unit_test(structures_are_compared_by_member),
        cmocka_unit_test(keys_have_what_a_reference_uses),
    };

    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
