/*
 * source_files.h - source files as they are on disk now, with the macros in them that expand to atomic accesses. Each
 * file is read once.
 */
#ifndef RFS_SOURCE_FILES_H
#define RFS_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/symbols/atomic_text.h"

struct rfs_source_files;
struct rfs_dwarf;

struct rfs_source_files *rfs_source_files_new(void); /* the caller frees it with rfs_source_files_free() */
void rfs_source_files_free(struct rfs_source_files *files);

/*
 * Reads the file and the files that it includes by "name". dwarf (may be NULL): where included files are looked up that
 * are not beside it.
 */
void rfs_source_files_read(struct rfs_source_files *files, const struct rfs_dwarf *dwarf, const char *path);
/* One line of a file that was read, counted from 1. NULL if there is no such file or line. Borrowed. */
const char *rfs_source_files_line(const struct rfs_source_files *files, const char *path, unsigned line);
/* What the definitions of a macro in all files that were read have in common. files is the argument. */
enum rfs_macro rfs_source_files_macro(void *files, const char *name, size_t n);

#endif
