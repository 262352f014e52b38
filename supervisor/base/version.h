/* version.h - the version of rfsup, which reports and records name. */
#ifndef RFS_VERSION_H
#define RFS_VERSION_H

#define RFS_VERSION "0.1"

#endif
