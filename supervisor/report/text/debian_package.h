/* debian_package.h - which Debian package a file belongs to. */
#ifndef RFS_DEBIAN_PACKAGE_H
#define RFS_DEBIAN_PACKAGE_H

/*
 * The name of the installed package that contains the file, as in dpkg(1). lists: the folder of the packages' file
 * lists; RFS_DPKG_LISTS on a Debian system. Caller frees; NULL: no package has it.
 */
char *rfs_debian_package(const char *lists, const char *path);

#define RFS_DPKG_LISTS "/var/lib/dpkg/info"

#endif
