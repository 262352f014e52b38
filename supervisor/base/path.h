/* path.h - parts of file names. */
#ifndef RFS_PATH_H
#define RFS_PATH_H

/* The last component of a path; "?" if path is NULL. Points into path. */
const char *rfs_base_name(const char *path);

#endif
