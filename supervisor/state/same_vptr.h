/*
 * same_vptr.h - stores of the pointer to the virtual functions that an object has already.
 *
 * A destructor of C++ first stores the pointer of its own class. If the object is of this class, that is the value
 * which is there. No thread can see the store, so it races with nothing. The compiler writes it, not the programmer.
 */
#ifndef RFS_SAME_VPTR_H
#define RFS_SAME_VPTR_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* Whether the thread is parked before such a store. */
bool rfs_stores_same_vptr(const struct rfs_run *run, const struct rfs_thread *thread);

#endif
