/* tree.h - makes, copies and removes whole folders. */
#ifndef RFS_TREE_H
#define RFS_TREE_H

#include <stddef.h>

/* Makes the folder, and its parents if needed. Succeeds if the folder exists. 0 or -errno. */
int rfs_tree_make(const char *path) __attribute__((warn_unused_result));
/*
 * Copies the folder `from` to `to` as `cp -a` does: with owners, modes, times and links. 0, or -errno and a line in
 * why.
 */
int rfs_tree_copy(const char *from, const char *to, char *why, size_t n) __attribute__((warn_unused_result));
/* Removes path and its contents, as far as possible. 0 if nothing is left; otherwise -errno. */
int rfs_tree_remove(const char *path);
/* Removes what is in the folder, as far as possible. The folder stays: it may be the working directory of a process. */
void rfs_tree_empty(const char *path);

#endif
