/* source.h - reads a source line, for reports. */
#ifndef RFS_SOURCE_H
#define RFS_SOURCE_H

/*
 * Returns line number line (from 1) of file, without surrounding blanks. Cuts it at 160 bytes, and replaces control
 * characters by blanks. NULL if the file is shorter or cannot be read: sources are often not where the program was
 * built. Caller frees.
 */
char *rfs_source_line(const char *file, unsigned line);

#endif
