/*
 * same_vptr.h - stores of the pointer to the virtual functions that an object has already.
 *
 * A destructor of C++ first stores the pointer of its own class. If the object is of this class, the pointer is already
 * there. No thread can see the store, so it races with nothing. The compiler writes it, not the programmer.
 */
#ifndef RFS_SAME_VPTR_H
#define RFS_SAME_VPTR_H

#include <stdbool.h>

struct rfs_choice;
struct rfs_run;

/* Whether one of the two threads of the race that the choice resolves is parked before such a store. */
bool rfs_race_is_of_same_vptr(const struct rfs_run *run, const struct rfs_choice *choice);

#endif
