/* plot_draw.c - runs gnuplot and reduces its SVG to parts of a page */
#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/base/error.h"
#include "mpi/commands/audit/page/plot.h"
#include "mpi/commands/audit/page/plot_colours.h"

extern char **environ;

/* ---- running ---- */

static int no_gnuplot(int error, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "gnuplot, which draws the plots, cannot be run: %s; on Debian "
                          "it is in the package gnuplot-nox",
                          strerror(error));
}

/* Runs "gnuplot -d ARGUMENT" with these files (-d: without the user's settings).  Returns
 * its exit status, or -1 with 'err'.
 */
static int run(const char *argument, FILE *in, FILE *out, FILE *complaints,
               struct gcal_error *err)
{
    char *argv[] = { "gnuplot", "-d", (char *)argument, NULL };
    posix_spawn_file_actions_t actions;
    int failed, status;
    pid_t child;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return gcal_error_memory(err);
    if (in)
        posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), 2);
    failed = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return no_gnuplot(failed, err);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return no_gnuplot(errno, err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int gcal_plot_check(struct gcal_error *err)
{
    FILE *out = tmpfile();
    int status;

    if (!out)
        return gcal_error_set(err, GCAL_EINPUT, "temporary file: %m");
    status = run("--version", NULL, out, out, err);
    fclose(out);
    return status > 0 ? no_gnuplot(ENOEXEC, err) : status;
}

/* Reports the first line of gnuplot's messages. */
static int report_failure(FILE *complaints, int status, struct gcal_error *err)
{
    char line[200] = "";

    rewind(complaints);
    while (fgets(line, sizeof(line), complaints))
        if (line[strspn(line, " \t\n")])
            break;
    line[strcspn(line, "\n")] = '\0';
    return gcal_error_set(err, GCAL_EINPUT, "gnuplot failed (%d): %s", status, line);
}

int gcal_plot_draw(FILE *script, FILE **drawn, struct gcal_error *err)
{
    FILE *out = tmpfile(), *complaints = tmpfile();
    int status = -1;

    if (!out || !complaints || fflush(script) == EOF || fseek(script, 0, SEEK_SET) < 0)
        gcal_error_set(err, GCAL_EINPUT, "temporary file: %m");
    else if ((status = run("-", script, out, complaints, err)) > 0)
        status = report_failure(complaints, status, err);
    if (complaints)
        fclose(complaints);
    if (status == 0) {
        rewind(out);
        *drawn = out;
    } else if (out)
        fclose(out);
    return status;
}

/* ---- from a document to a part of a page ---- */

/* Replacements in gnuplot's SVG.  If another version of gnuplot writes it differently,
 * pages get longer, and colours do not follow the dark style.
 */
static const struct {
    const char *from, *to;
} replaced[] = {
    /* The colours of plot_colours.h. */
    { "rgb(  2,   2,   2)", "var(--axis)" },
    { "rgb(  3,   3,   3)", "var(--blue)" },
    { "rgb(  4,   4,   4)", "var(--grey)" },
    { "rgb(  5,   5,   5)", "var(--violet)" },
    { "rgb(  6,   6,   6)", "var(--warn)" },
    { "rgb(  7,   7,   7)", "var(--fail)" },
    { "rgb(  8,   8,   8)", "var(--pass)" },
    /* Text and groups, by classes of the page's style. */
    { " stroke=\"none\" fill=\"rgb(1,1,1)\" font-family=\"sans-serif\" ",
      " class=\"t\" " },
    { " stroke=\"none\" fill=\"rgb(5,5,5)\" font-family=\"sans-serif\" ",
      " class=\"e\" " },
    { "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" "
      "stroke-linecap=\"butt\" stroke-linejoin=\"miter\">",
      "<g class=\"a\">" },
    { " stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", "" },
    { "font-size=\"14.00\" ", "" },
    { "font-size=\"11.00\" ", "" },
    /* Points have one size and one colour, which the page's symbol has. */
    { ") scale(1.84)' color='rgb(  3,   3,   3)'", ")'" },
    { "<tspan font-family=\"sans-serif\" >", "" },
    { "</tspan>", "" },
    { " shape-rendering='crispEdges'", "" },
    { "xlink:href=", "href=" }, /* no name space is needed in a page */
    { "\t", "" },
};

/* The first characters of all of these, and of decimals. */
#define FIRST "rf <x\t)."

/* Whether a tenth of a pixel is enough at 'at': ".12" of a coordinate, not of a label. */
static bool is_fine(const char *at, bool is_label)
{
    return *at == '.' && !is_label && isdigit((unsigned char)at[1]) &&
           isdigit((unsigned char)at[2]);
}

static void put_line(const char *line, FILE *page)
{
    const size_t n = sizeof(replaced) / sizeof(*replaced);
    bool is_label = strstr(line, "<text>") != NULL;
    size_t i, plain;

    while (*line) {
        if ((plain = strcspn(line, FIRST)))
            fwrite(line, 1, plain, page);
        line += plain;
        for (i = 0; i < n; i++)
            if (strncmp(line, replaced[i].from, strlen(replaced[i].from)) == 0)
                break;
        if (i < n) {
            fputs(replaced[i].to, page);
            line += strlen(replaced[i].from);
        } else if (is_fine(line, is_label)) {
            fwrite(line, 1, 2, page);
            line += 3;
        } else if (*line)
            fputc(*line++, page);
    }
}

/* Removes what is between 'start' and 'end' from the line, both included: titles and ids,
 * which would repeat in a page.
 */
static void cut(char *line, const char *start, const char *end)
{
    char *from = strstr(line, start), *to;

    if (from && (to = strstr(from + strlen(start), end))) {
        to += strlen(end);
        memmove(from, to, strlen(to) + 1);
    }
}

/* Groups are held back until they have something in them. */
struct group {
    char *text;
    size_t capacity;
};

static int hold(struct group *held, const char *line)
{
    size_t size = strlen(line) + 1;
    char *moved = size > held->capacity ? realloc(held->text, size) : held->text;

    if (!moved)
        return -1;
    held->capacity = size > held->capacity ? size : held->capacity;
    held->text = moved;
    memcpy(moved, line, size);
    return 0;
}

static void put_held(struct group *held, FILE *page)
{
    if (held->text && *held->text)
        put_line(held->text, page);
    if (held->text)
        *held->text = '\0';
}

static int put_element(struct group *held, const char *line, FILE *page)
{
    bool is_held = held->text && *held->text;

    if (is_held && strncmp(line, "</g>", 4) == 0) {
        *held->text = '\0';
        return 0;
    }
    put_held(held, page);
    if (strncmp(line, "<g ", 3) == 0 && line[strlen(line) - 2] == '>' &&
        !strstr(line, "><"))
        return hold(held, line);
    put_line(line, page);
    return 0;
}

int gcal_plot_take(FILE *drawn, FILE *page, size_t caption, struct gcal_error *err)
{
    char *line = NULL, box[80] = "";
    bool in_head = true, done = false, failed = false;
    struct group held = { 0 };
    size_t capacity = 0;

    while (!done && getline(&line, &capacity, drawn) > 0) {
        if (in_head) {
            sscanf(line, " viewBox=\"%79[0-9. ]\"", box);
            in_head = strncmp(line, "</defs>", 7) != 0;
            if (!in_head)
                fprintf(page,
                        "<svg viewBox=\"%s\" role=\"img\" aria-labelledby=\"c%zu\"><g>\n",
                        box, caption);
            continue;
        }
        done = strncmp(line, "</svg>", 6) == 0;
        cut(line, "<title>", "</title>");
        cut(line, " id=\"", "\"");
        if (line[strspn(line, " \t\n")])
            failed |= put_element(&held, line, page) < 0;
    }
    free(line);
    free(held.text);
    if (failed)
        return gcal_error_memory(err);
    return done ? 0 : gcal_error_set(err, GCAL_EINPUT, "gnuplot drew too few plots");
}
