#include "supervisor/generate/driver_image.h"

#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"

__asm__(".section .rodata\n"
	"rfs_driver_program:\n"
	"	.incbin \"" RFS_DRIVER "\"\n"
	"rfs_driver_program_end:\n"
	".previous\n");
extern const char rfs_driver_program[], rfs_driver_program_end[];

int rfs_driver_image_write(const char *path, char *why, size_t n)
{
	int error = rfs_file_replace(path, rfs_driver_program, (size_t)(rfs_driver_program_end - rfs_driver_program),
				     0700, false);

	return error ? rfs_why(why, n, error, "cannot write %s: %s", path, strerror(-error)) : 0;
}
