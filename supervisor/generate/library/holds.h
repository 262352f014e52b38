/*
 * holds.h - methods after which the same thread must call another one, by their names: lock and unlock, enter and
 * leave. A thread that calls the second one alone makes a mistake, so its failure says nothing about the library.
 */
#ifndef RFS_HOLDS_H
#define RFS_HOLDS_H

struct rfs_library;

/*
 * Sets `hold` of all uses, and what it says is valid. A method that closes a hold is no destructor, although its name
 * may sound like one: lock_release().
 */
void rfs_holds_find(struct rfs_library *library);

#endif
