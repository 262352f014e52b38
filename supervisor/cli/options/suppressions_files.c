/* suppressions_files.c - import/suppressions.c parses the text; default.supp is compiled in. */
#include "supervisor/cli/options/suppressions_files.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/base/file.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/import/suppressions.h"

/* rfsup's own file is a part of the program, so that it cannot be missing. make install also installs it, to be read.
 */
__asm__(".section .rodata\n"
	"rfs_default_suppressions:\n"
	"	.incbin \"" RFS_SUPPRESSIONS "\"\n"
	"rfs_default_suppressions_end:\n"
	".previous\n");
extern const char rfs_default_suppressions[], rfs_default_suppressions_end[];

static int read_one(const char *path, struct rfs_suppressions *out, char *why, size_t n)
{
	char *data = NULL;
	size_t size = 0;
	int error = rfs_file_read(path, RFS_SUPPRESSIONS_MAX, &data, &size);

	if (error)
		return rfs_why(why, n, error, "cannot read '%s': %s", path, strerror(-error));
	error = rfs_suppressions_parse(path, false, data, size, out, why, n);
	free(data);
	return error;
}

int rfs_suppressions_read(const struct rfs_options *options, struct rfs_suppressions *out, char *why, size_t n)
{
	int error = 0;

	for (char *const *path = options->suppressions; *path && !error; path++)
		error = read_one(*path, out, why, n);
	if (!error && !options->no_default_suppressions)
		error = rfs_suppressions_parse("default.supp", true, rfs_default_suppressions,
					       (size_t)(rfs_default_suppressions_end - rfs_default_suppressions), out,
					       why, n);
	return error;
}
