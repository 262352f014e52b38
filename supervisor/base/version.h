/* version.h - the version of rfsup, as named in reports and records. */
#ifndef RFS_VERSION_H
#define RFS_VERSION_H

#define RFS_VERSION "0.1"

#endif
