/* private.h - what the files of calib/learn share */
#ifndef GCAL_CALIB_LEARN_PRIVATE_H
#define GCAL_CALIB_LEARN_PRIVATE_H

struct gcal_error;
struct gcal_learned;

/* The devices of the times, and what the kernel takes on each to what it takes on the type, once its model
 * is known (members.c).
 */
int gcal_learn_find_members(struct gcal_learned *kernel, struct gcal_error *err);

#endif
