/*
 * gdb_file.h - the vFile packets for reading (the GDB manual, "Host I/O Packets"). gdb uses them to read files of
 * /proc, to learn the mappings.
 */
#ifndef RFS_GDB_FILE_H
#define RFS_GDB_FILE_H

#include <stdio.h>

/* request: the text after "vFile:". The reply goes to out; it is empty if the operation is not supported. */
void rfs_gdb_file(const char *request, FILE *out);

#endif
