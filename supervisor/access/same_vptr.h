/*
 * same_vptr.h - stores that give an object the pointer to virtual functions that it already has.
 *
 * A destructor of C++ begins with a store: it writes the pointer to the virtual functions of its own class into the
 * object. An object of exactly this class already has that pointer. No thread can see the store, so it races with
 * nothing. The compiler writes it, not the programmer.
 */
#ifndef RFS_SAME_VPTR_H
#define RFS_SAME_VPTR_H

#include <stdbool.h>

struct rfs_choice;
struct rfs_run;

/* Whether one of the two threads of the race that the choice resolves is parked before such a store. */
bool rfs_race_is_of_same_vptr(const struct rfs_run *run, const struct rfs_choice *choice);

#endif
