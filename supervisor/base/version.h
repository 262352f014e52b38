/* version.h - the version of rfsup. Reports and records contain it. */
#ifndef RFS_VERSION_H
#define RFS_VERSION_H

#define RFS_VERSION_NUMBER "1.0"

/* The number, and the commit if it is known (.ci/version): "1.0+g1a2b3c4d". */
extern const char rfs_version[];

#endif
