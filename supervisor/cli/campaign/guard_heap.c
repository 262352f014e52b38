/* guard_heap.c - refuses programs with a sanitizer, which have a heap of their own, and preloads the library. */
#include "supervisor/cli/campaign/guard_heap.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/generate/driver_image.h"

#define LIBRARY "rfsup-guard.so"

static bool names_sanitizer(const char *words)
{
	static const char *const runtimes[] = {"libasan.", "liblsan.", "libtsan.", "libhwasan.", "libclang_rt."};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (strstr(words, runtimes[i]))
			return true;
	return false;
}

static bool has_sanitizer(const struct rfs_elf *elf)
{
	static const char *const functions[] = {"__asan_init", "__lsan_init", "__tsan_init", "__msan_init",
						"__hwasan_init"};
	char *const *needed;
	const size_t n = rfs_elf_needed(elf, &needed);

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (rfs_elf_symbol(elf, functions[i], NULL, NULL))
			return true;
	for (size_t i = 0; i < n; i++)
		if (names_sanitizer(needed[i]))
			return true;
	return false;
}

static const char *preloaded(char *const *envp)
{
	static const char name[] = "LD_PRELOAD=";

	for (; *envp; envp++)
		if (strncmp(*envp, name, sizeof(name) - 1) == 0)
			return *envp + sizeof(name) - 1;
	return "";
}

int rfs_guard_heap_check(const struct rfs_program *program, char *const *envp, char *why, size_t n)
{
	struct rfs_elf *elf;
	int error = 0;

	if (names_sanitizer(preloaded(envp)))
		return rfs_why(why, n, -EINVAL,
			       "--guard-heap: LD_PRELOAD loads a sanitizer, which has a heap of its own");
	if (rfs_elf_open(program->path, &elf, why, n))
		return 0; /* what is wrong with the file is reported later */
	if (has_sanitizer(elf))
		error = rfs_why(
			why, n, -EINVAL,
			"--guard-heap: '%s' has a sanitizer with a heap of its own; build it without -fsanitize, or "
			"remove the option",
			program->path);
	else if (!rfs_elf_interpreter(elf))
		error = rfs_why(
			why, n, -EINVAL,
			"--guard-heap: '%s' is a static program, whose heap cannot be replaced; link it dynamically, "
			"or remove the option",
			program->path);
	rfs_elf_free(elf);
	return error;
}

int rfs_guard_heap_add(const struct rfs_output *output, char *const *envp, char ***out, char *why, size_t n)
{
	char *file = rfs_output_file(output, LIBRARY), *path, *preload;
	const char *old = preloaded(envp);
	int error = rfs_guard_image_write(file, why, n);

	path = error ? NULL : realpath(file, NULL);
	if (!error && !path)
		error = rfs_why(why, n, -errno, "cannot find '%s': %s", file, strerror(errno));
	free(file);
	if (error)
		return error;
	preload = xasprintf("LD_PRELOAD=%s%s%s", path, *old ? ":" : "", old);
	*out = rfs_variables_set(
		envp, (char *const[]){preload, (char *)"RFSUP_GUARD_PLACES=1", (char *)"G_SLICE=always-malloc", NULL});
	free(preload);
	free(path);
	return 0;
}
