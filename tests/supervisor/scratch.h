/* scratch.h - a separate folder for a test, and files in it. */
#ifndef RFS_TEST_SCRATCH_H
#define RFS_TEST_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/* Makes a folder below /tmp the working directory. Returns its path, which scratch_leave() frees. */
char *scratch_enter(void);
/* Removes the folder and everything in it. */
void scratch_leave(char *path);
/* Writes a file below the working directory. */
void scratch_file(const char *name, const void *data, size_t n, mode_t mode);
/* Reads a whole file, and ends it with NUL. The caller frees it; NULL if there is no file. */
char *scratch_read(const char *name);

#endif
