/* scratch.h - a separate folder for a test, and files in it. */
#ifndef RFS_TEST_SCRATCH_H
#define RFS_TEST_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/* Makes a folder below /tmp and makes it the working directory. Returns its path: caller frees through scratch_leave().
 */
char *scratch_enter(void);
/* Removes the folder with all that is in it. */
void scratch_leave(char *path);
/* Writes a file below the working directory. */
void scratch_file(const char *name, const void *data, size_t n, mode_t mode);
/* Reads a whole file, NUL-terminated. Caller frees; NULL if there is none. */
char *scratch_read(const char *name);

#endif
