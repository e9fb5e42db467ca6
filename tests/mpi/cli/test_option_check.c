/* test_option_check.c - options that do not exist, and values that their argument does not name */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "mpi/cli/parse.h"

static const struct argp_option options[] = {
    { "format", 'f', "text|yaml|json", 0, "", 0 },
    { "force", 'F', NULL, 0, "", 0 },
    { "size", 's', "N", 0, "", 0 },
    { "build", 'b', "DEVICE", OPTION_ARG_OPTIONAL, "", 0 },
    { "shell", 1000, "sh|csh", OPTION_ARG_OPTIONAL, "", 0 },
    { NULL, 0, NULL, 0, "", 0 }, /* a heading */
    { 0 },
};
static const struct argp_option shared_options[] = { { "store", 'S', "DIR", 0, "", 0 },
                                                     { 0 } };

static error_t take(int key, char *arg, struct argp_state *state)
{
    (void)key;
    (void)arg;
    (void)state;
    return 0;
}

static const struct argp shared = { .options = shared_options, .parser = take };
static const struct argp_child children[] = { { &shared, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { .options = options,
                                  .parser = take,
                                  .children = children };

enum { MOST_WORDS = 8 };

/* Parses the words of 'line' in a child: what it prints, and its exit status. */
static int check(const char *line, char *said, size_t size)
{
    char *words = strdup(line), *rest = words, *argv[MOST_WORDS + 2] = { "gpucal x" };
    int ends[2], argc = 1, status = 0;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    assert_non_null(words);
    while (rest && argc <= MOST_WORDS)
        argv[argc++] = strsep(&rest, " ");
    assert_int_equal(pipe(ends), 0);
    if ((pid = fork()) == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        gcal_command_parse(&argp, argc, argv, NULL);
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + n, size - 1 - n)) > 0)
        n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    free(words);
    return WEXITSTATUS(status);
}

static void expect_refused(const char *line, const char *message)
{
    char said[1000];

    if (check(line, said, sizeof(said)) != GCAL_EINPUT)
        fail_msg("'%s' is not refused", line);
    if (strncmp(said, message, strlen(message)) != 0 || said[strlen(message)] != '\n')
        fail_msg("'%s': '%s' in place of '%s'", line, said, message);
    assert_non_null(strstr(said, "Try 'gpucal x --help'"));
}

static void expect_accepted(const char *line)
{
    char said[1000];

    if (check(line, said, sizeof(said)) != 0)
        fail_msg("'%s': %s", line, said);
    assert_string_equal(said, "");
}

static void unknown_options_are_refused(void **state)
{
    (void)state;
    expect_refused("--formt text",
                   "gpucal x: unknown option '--formt' (did you mean '--format'?)");
    expect_refused("--stor3=/x",
                   "gpucal x: unknown option '--stor3' (did you mean '--store'?)");
    expect_refused("--helpp",
                   "gpucal x: unknown option '--helpp' (did you mean '--help'?)");
    expect_refused("--zzzzzzzz", "gpucal x: unknown option '--zzzzzzzz'");
    expect_refused("-z", "gpucal x: unknown option '-z'");
    expect_refused("-FFz", "gpucal x: unknown option '-z'");
    expect_refused("file -b -z", "gpucal x: unknown option '-z'");
    expect_refused("-s 1 -z", "gpucal x: unknown option '-z'");
}

static void values_that_are_not_named_are_refused(void **state)
{
    static const char message[] =
        "gpucal x: --format: expected text, yaml or json, found 'yml' (did you mean "
        "'yaml'?)";

    (void)state;
    expect_refused("--format yml", message);
    expect_refused("--format=yml", message);
    expect_refused("--form=yml", message);
    expect_refused("-f yml", message);
    expect_refused("-fyml", message);
    expect_refused("-Ffyml", message);
    expect_refused("--format=",
                   "gpucal x: --format: expected text, yaml or json, found ''");
    expect_refused("--shell=zsh", "gpucal x: --shell: expected sh or csh, found 'zsh'"
                                  " (did you mean 'sh'?)");
}

static void what_argp_takes_is_accepted(void **state)
{
    (void)state;
    expect_accepted("--format text --forc -S /store a b");
    expect_accepted("-Fs 12 -fjson");
    expect_accepted("--size -z"); /* its value */
    expect_accepted("-s -z");
    expect_accepted("--size=-z");
    expect_accepted("--shell zsh"); /* an optional value is attached */
    expect_accepted("-b --build --build=gpu");
    expect_accepted("-- --zzz -z");
    expect_accepted("- file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(values_that_are_not_named_are_refused),
        cmocka_unit_test(what_argp_takes_is_accepted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
