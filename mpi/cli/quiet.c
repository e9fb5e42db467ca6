/* quiet.c - the result of a command, without what else it prints */
#include "mpi/cli/quiet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/log.h"

static bool on, keep_all, has_result;
static FILE *kept;         /* in place of standard output; NULL: nothing is kept */
static int output_fd = -1; /* standard output as it was */

void gcal_quiet_start(void)
{
    on = true;
    gcal_log_set_level(GCAL_LOG_ERROR);
    fflush(stdout);
    if (!(kept = tmpfile()))
        return; /* then all is printed */
    output_fd = dup(STDOUT_FILENO);
    if (output_fd < 0 || dup2(fileno(kept), STDOUT_FILENO) < 0) {
        fclose(kept);
        kept = NULL;
    }
}

bool gcal_quiet_is_on(void)
{
    return on;
}

void gcal_quiet_keep_all(void)
{
    keep_all = true;
}

bool gcal_quiet_is_for_program(void)
{
    return keep_all;
}

void gcal_quiet_result(bool begins)
{
    if (!kept)
        return;
    has_result = true;
    fflush(stdout);
    dup2(begins ? output_fd : fileno(kept), STDOUT_FILENO);
}

void gcal_quiet_end(void)
{
    char *line = NULL, *last = NULL;
    size_t capacity = 0;

    if (!kept)
        return;
    fflush(stdout);
    dup2(output_fd, STDOUT_FILENO);
    close(output_fd);
    rewind(kept);
    while (!has_result && getline(&line, &capacity, kept) >= 0) {
        if (keep_all)
            fputs(line, stdout);
        else if (line[strspn(line, " \t\n")]) {
            free(last);
            last = line;
            line = NULL;
            capacity = 0;
        }
    }
    if (last)
        fputs(last, stdout);
    free(line);
    free(last);
    fclose(kept);
    kept = NULL;
}
