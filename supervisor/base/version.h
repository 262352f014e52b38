/* version.h - the version of rfsup. Reports and records contain it. */
#ifndef RFS_VERSION_H
#define RFS_VERSION_H

#define RFS_VERSION "0.1"

#endif
