/*
 * gdb_file.h - the vFile packets, with which gdb reads files (the GDB manual, "Host I/O Packets"). gdb reads the
 * mappings of the target from /proc in this way.
 */
#ifndef RFS_GDB_FILE_H
#define RFS_GDB_FILE_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Answers a packet. request: its text after "vFile:". pid: the target. Writes the reply to `out`. If the operation is
 * not supported, writes nothing.
 */
void rfs_gdb_file(const char *request, pid_t pid, FILE *out);

#endif
