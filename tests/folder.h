/* folder.h - a folder that a test makes for itself, and what it writes there */
#ifndef GCAL_TESTS_FOLDER_H
#define GCAL_TESTS_FOLDER_H

extern char folder[64];

/* For cmocka's set-up and tear-down: a new folder, gone with its files. */
int folder_make(void **state);
int folder_remove(void **state);

void folder_write(const char *name, const char *text);

#endif
