/*
 * pair_groups.h - which predicted pairs probably have one cause, so that one of them is tried before the others.
 *
 * The pairs of a group are of the same two functions and of the same variable, block or kind of memory: the accesses of
 * a loop, of a copy and the lines that use it, or of all members of a structure whose lock is missing. A group only
 * decides the order in which pairs are tried; each pair keeps its own verdict.
 */
#ifndef RFS_PAIR_GROUPS_H
#define RFS_PAIR_GROUPS_H

struct rfs_pair_list;
struct rfs_symbols;

/* Puts each pair that has none into a group, and numbers the members: 0 is the one with the best prospects. */
void rfs_pair_groups_make(struct rfs_pair_list *pairs, struct rfs_symbols *symbols);

#endif
