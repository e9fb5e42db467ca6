/* test_spank.c - the plugin in a stub of SPANK: the environment of tasks, step by step */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit.h"

#include <slurm/spank.h>

#include "tests/folder.h"

int slurm_spank_init(spank_t spank, int argc, char *argv[]);
int slurm_spank_task_init(spank_t spank, int argc, char *argv[]);

/* ---- SPANK, whose job's environment is this process's ---- */

static spank_opt_cb_f choose;

spank_err_t spank_getenv(spank_t spank, const char *name, char *text, int size)
{
    const char *value = getenv(name);

    (void)spank;
    if (!value)
        return ESPANK_ENV_NOEXIST;
    return snprintf(text, (size_t)size, "%s", value) < size ? ESPANK_SUCCESS
                                                            : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value,
                         int overwrites)
{
    (void)spank;
    return setenv(name, value, overwrites) == 0 ? ESPANK_SUCCESS : ESPANK_ERROR;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank;
    return unsetenv(name) == 0 ? ESPANK_SUCCESS : ESPANK_ERROR;
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *option)
{
    (void)spank;
    choose = option->cb;
    return ESPANK_SUCCESS;
}

void slurm_error(const char *format, ...)
{
    (void)format;
}

/* ---- a store of the node n0 and a table of the nodes n0 and n1 ---- */

static char store[200], speeds[200], n0_params[200];

static int set_up(void **state)
{
    char nodes[200];
    int rc = folder_make(state);

    snprintf(store, sizeof(store), "store=%s", folder);
    snprintf(speeds, sizeof(speeds), "speeds=%s/speeds.tsv", folder);
    snprintf(nodes, sizeof(nodes), "%s/nodes", folder);
    snprintf(n0_params, sizeof(n0_params), "%s/nodes/n0.yaml", folder);
    mkdir(nodes, 0700);
    folder_write("nodes/n0.yaml", "");
    folder_write("speeds.tsv", "n0\tfast\t1\t0.9\tcl:a=1\nn1\tslow\t2\t-\t-\n");
    unsetenv("GPUCAL_STORE");
    return rc;
}

/* A step's task on the node, srun having been called in a task of n0 (NULL: of no node). */
static void run_step(const char *node, const char *option)
{
    char *arguments[] = { store, speeds };

    if (node)
        setenv("SLURMD_NODENAME", node, 1);
    else
        unsetenv("SLURMD_NODENAME");
    assert_int_equal(slurm_spank_init(NULL, 2, arguments), 0);
    assert_int_equal(choose(0, option, 1), 0);
    assert_int_equal(slurm_spank_task_init(NULL, 2, arguments), 0);
}

static void check(const char *name, const char *value)
{
    const char *found = getenv(name);

    if (!value != !found || (value && strcmp(value, found) != 0))
        fail_msg("%s is %s and not %s", name, found ? found : "unset",
                 value ? value : "unset");
}

static void check_node(const char *node, const char *params, const char *speed,
                       const char *devices)
{
    check("GPUCAL_NODE", node);
    check("GPUCAL_PARAMS", params);
    check("GPUCAL_SPEED", speed);
    check("GPUCAL_DEVICE_SPEEDS", devices);
}

/* ---- tests ---- */

static void a_task_has_its_own_node(void **state)
{
    (void)state;
    run_step("n0", "yes");
    check("GPUCAL_STORE", folder);
    check("GPUCAL_SPEEDS", speeds + strlen("speeds="));
    check_node("n0", n0_params, "0.9", "cl:a=1");
}

/* Not the calibration of n0, in whose task srun was called. */
static void nothing_is_left_of_another_node(void **state)
{
    (void)state;
    run_step("n0", "yes");
    run_step("n1", "yes"); /* of which there is no calibration, and no speed */
    check_node("n1", NULL, NULL, "-");
    run_step("n0", "yes");
    run_step("nX", "yes"); /* of which nothing is known */
    check_node("nX", NULL, NULL, NULL);
    run_step("n0", "yes");
    run_step("nX", "no");
    check_node(NULL, NULL, NULL, NULL);
    run_step("n0", "yes");
    run_step(NULL, "yes");
    check_node(NULL, NULL, NULL, NULL);
    run_step("n0", "yes");
    setenv("GPUCAL_STORE", "/nowhere", 1); /* the job's own */
    run_step("n0", "yes");
    check_node("n0", NULL, "0.9", "cl:a=1");
    check("GPUCAL_STORE", "/nowhere");
    unlink(speeds + strlen("speeds="));
    run_step("n0", "yes"); /* without its table */
    check_node("n0", NULL, NULL, NULL);
}

static void another_choice_is_refused(void **state)
{
    (void)state;
    run_step("n0", "yes");
    assert_int_equal(choose(0, "perhaps", 1), -1);
    assert_int_equal(choose(0, NULL, 1), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_task_has_its_own_node),
        TEST(nothing_is_left_of_another_node),
        TEST(another_choice_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
