/* options_files.c - checks the files that the command line names (options.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/options/options-priv.h"
#include "supervisor/cli/options/options.h"

static int options_files_check(const char *option, const char *path, char *why, size_t n)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		return rfs_why(why, n, -errno, "--%s: cannot read '%s': %s", option, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return rfs_why(why, n, -EISDIR, "--%s: '%s' is a directory, not a file", option, path);
	return 0;
}

/* A file that is written at the end: checked before any run is made. NULL: not given. */
static int check_target(const char *option, const char *path, char *why, size_t n)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char *folder = slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");
	struct stat st;
	const bool exists = path && stat(path, &st) == 0;
	int error = 0;

	if (exists && S_ISDIR(st.st_mode))
		error = -EISDIR;
	/* a pipe or device, such as /dev/stdout, is written; another file is replaced */
	else if (exists && !S_ISREG(st.st_mode) ? access(path, W_OK) < 0 : path && access(folder, W_OK | X_OK) < 0)
		error = -errno;
	free(folder);
	return error ? rfs_why(why, n, error, "--%s: cannot write '%s': %s", option, path, strerror(-error)) : 0;
}

static int check_objects(const char *option, const struct rfs_samplers *samplers, char *why, size_t n)
{
	for (size_t i = 0; i < samplers->n; i++) {
		const char *name = samplers->list[i].name;
		int error = strchr(name, '/') ? options_files_check(option, name, why, n) : 0;

		if (error)
			return error;
	}
	return 0;
}

int rfs_options_check_files(const struct rfs_options *options, char *why, size_t n)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{"stdin", options->run.job.stdin_path}, {rfs_option_of_pairs(options), options->pairs},
		{"baseline", options->baseline},	{"replay", options->replay},
		{"simplify", options->simplify},
	};
	struct stat st;
	int error;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		error = files[i].path ? options_files_check(files[i].option, files[i].path, why, n) : 0;
		if (error)
			return error;
	}
	for (char *const *file = options->suppressions; *file; file++) {
		error = options_files_check("suppressions", *file, why, n);
		if (error)
			return error;
	}
	error = check_target("sarif", options->sarif, why, n);
	if (!error)
		error = check_target("junit", options->junit, why, n);
	if (error)
		return error;
	error = check_objects("policy", &options->samplers, why, n);
	if (!error)
		error = check_objects("explore-with", &options->explorers, why, n);
	if (error)
		return error;
	if (options->run.job.fresh_dir) {
		if (stat(options->run.job.fresh_dir, &st) < 0)
			return rfs_why(why, n, -errno, "--fresh-dir: cannot read '%s': %s", options->run.job.fresh_dir,
				       strerror(errno));
		if (!S_ISDIR(st.st_mode))
			return rfs_why(why, n, -ENOTDIR, "--fresh-dir: '%s' is not a directory",
				       options->run.job.fresh_dir);
	}
	return 0;
}
