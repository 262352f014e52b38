/* source.h - reads a source line, for reports. */
#ifndef RFS_SOURCE_H
#define RFS_SOURCE_H

/*
 * Returns one line of a source file without surrounding blanks, cut at 160 bytes. Control characters become blanks.
 * line: counted from 1. NULL if the file is shorter or cannot be read: the sources are often not at the path where
 * the program was built. Caller frees.
 */
char *rfs_source_line(const char *file, unsigned line);

#endif
