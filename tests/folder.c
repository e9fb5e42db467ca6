/* folder.c - a temporary folder for a test */
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char folder[64];

int folder_make(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gcal-test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int folder_remove(void **state)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    (void)state;
    if (!dir)
        return -1;
    while ((entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0); /* . and .. stay */
    closedir(dir);
    return rmdir(folder);
}

void folder_write(const char *name, const char *text)
{
    char path[sizeof(folder) + 64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}
