/*
 * gdb_file.h - the vFile packets (The GDB manual, "Host I/O Packets"), for reading only: gdb asks for files of /proc
 * this way, for its knowledge of mappings.
 */
#ifndef RFS_GDB_FILE_H
#define RFS_GDB_FILE_H

#include <stdio.h>

/* request: what stands behind "vFile:". The reply goes to out; nothing where the operation is not offered. */
void rfs_gdb_file(const char *request, FILE *out);

#endif
