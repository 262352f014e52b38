/* driver_image.c - writes the two files to a folder, because the target must be able to load them. */
#include "supervisor/generate/driver_image.h"

#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"

__asm__(".section .rodata\n"
	"rfs_driver_program:\n"
	"	.incbin \"" RFS_DRIVER "\"\n"
	"rfs_driver_program_end:\n"
	"rfs_guard_library:\n"
	"	.incbin \"" RFS_GUARD "\"\n"
	"rfs_guard_library_end:\n"
	".previous\n");
extern const char rfs_driver_program[], rfs_driver_program_end[], rfs_guard_library[], rfs_guard_library_end[];

static int write_image(const char *path, const char *begin, const char *end, char *why, size_t n)
{
	int error = rfs_file_replace(path, begin, (size_t)(end - begin), 0700, false);

	return error ? rfs_why(why, n, error, "cannot write %s: %s", path, strerror(-error)) : 0;
}

int rfs_driver_image_write(const char *path, char *why, size_t n)
{
	return write_image(path, rfs_driver_program, rfs_driver_program_end, why, n);
}

int rfs_guard_image_write(const char *path, char *why, size_t n)
{
	return write_image(path, rfs_guard_library, rfs_guard_library_end, why, n);
}
