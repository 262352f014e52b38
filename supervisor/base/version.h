/* version.h - the version of rfsup. Reports and records contain it. */
#ifndef RFS_VERSION_H
#define RFS_VERSION_H

#define RFS_VERSION_NUMBER "0.1"

/* The number, and the commit if it is known (.ci/version): "0.1+g1a2b3c4d". */
extern const char rfs_version[];

#endif
