/* scratch.h - a separate folder for a test, and files in it. */
#ifndef RFS_TEST_SCRATCH_H
#define RFS_TEST_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/* Makes a new folder in /tmp and changes to it. Returns its path, which scratch_leave() frees. */
char *scratch_enter(void);
/* Removes the folder with its contents, and frees path. */
void scratch_leave(char *path);
/* Writes a file whose name is relative to the working directory. */
void scratch_file(const char *name, const void *data, size_t n, mode_t mode);
/* Reads a whole file and appends a NUL. Caller frees. NULL if the file does not exist. */
char *scratch_read(const char *name);

#endif
