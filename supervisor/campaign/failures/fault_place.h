/*
 * fault_place.h - the functions at fault in a crash, which tell crashes of one signal apart.
 *
 * A crash in libc (abort(), a freed block) is the fault of its caller, so functions of libraries that are not watched
 * do not count. The innermost function of the program is often one that only ends it: die(), panic(). Such a function
 * never returns, which its code shows, and the fault is that of its caller. An assertion helper returns if all is well;
 * so if the program has ended itself (SIGABRT), one more caller counts, but not for assert(), whose place is exact.
 *
 * Callers further out do not count: one bug would become many findings if the program gets to it on several ways.
 */
#ifndef RFS_FAULT_PLACE_H
#define RFS_FAULT_PLACE_H

struct rfs_campaign;
struct rfs_run_result;

/* "second", "die, called by first". Caller frees; NULL: the stack is not known. */
char *rfs_fault_place(struct rfs_campaign *c, const struct rfs_run_result *result);

#endif
