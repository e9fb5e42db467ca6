/* log.c - log lines on stderr */
#include "kernels/base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const level_names[] = { "error", "warning", "info", "debug" };
static enum gcal_log_level max_level = GCAL_LOG_INFO;
static char prefix[128];
static void (*hook)(void *context);
static void *hook_context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the hook, and of lines */

/* A message is one line: names and texts of drivers may have line ends. */
static void make_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

void gcal_log_set_level(enum gcal_log_level level)
{
    max_level = level;
}

void gcal_log_set_who(const char *who)
{
    snprintf(prefix, sizeof(prefix), "%s%s", who, *who ? " " : "");
    make_line(prefix);
}

void gcal_log_set_hook(void (*call)(void *context), void *context)
{
    pthread_mutex_lock(&lock);
    hook = call;
    hook_context = context;
    pthread_mutex_unlock(&lock);
}

void gcal_log(enum gcal_log_level level, const char *fmt, ...)
{
    char line[2048];
    va_list args;

    if (level > max_level)
        return;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    make_line(line);
    pthread_mutex_lock(&lock);
    if (hook)
        hook(hook_context);
    /* One call, so that lines of ranks do not mix. */
    fprintf(stderr, "gpucal: %s%s: %s\n", prefix, level_names[level], line);
    pthread_mutex_unlock(&lock);
}
