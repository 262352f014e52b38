/* tree.h - whole folders: made, copied, removed. */
#ifndef RFS_TREE_H
#define RFS_TREE_H

#include <stddef.h>

/* Makes the folder and those above it; one that exists is fine. 0 or -errno. */
int rfs_tree_make(const char *path) __attribute__((warn_unused_result));
/* Makes `to` a copy of the folder `from` with owners, modes, times and links (cp -a). 0, or -errno and a line in why.
 */
int rfs_tree_copy(const char *from, const char *to, char *why, size_t n) __attribute__((warn_unused_result));
/* Removes what is there, as far as that is possible. 0 where nothing is left, or -errno. */
int rfs_tree_remove(const char *path);

#endif
