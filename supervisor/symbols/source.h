/* source.h - the text of a source line, for reports. */
#ifndef RFS_SOURCE_H
#define RFS_SOURCE_H

/*
 * Line number line (from 1) of file, without the blanks around it, cut at 160 bytes, control characters as blanks. NULL
 * where the file cannot be read or is shorter: sources are often not where the program was built. Caller frees.
 */
char *rfs_source_line(const char *file, unsigned line);

#endif
