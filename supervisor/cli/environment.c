/*
 * environment.c - the environment that the program is executed with.
 *
 * At its end, a program with AddressSanitizer or LeakSanitizer starts a task that attaches to all its threads with
 * ptrace, to search their memory for leaks. A task has one tracer only, which is rfsup. The sanitizer takes that for a
 * fatal error. Its options in the environment have priority over those in the program (__asan_default_options()), so
 * they switch off each kind of search: at exit, and by __lsan_do_leak_check().
 */
#include "supervisor/cli/environment.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/program.h"

#define OFF "detect_leaks=0"

static const char *const options[] = {"ASAN_OPTIONS", "LSAN_OPTIONS"};
#define N_OPTIONS (sizeof(options) / sizeof(*options))

/* Whether these words, such as a list of libraries, name a runtime that searches for leaks. */
static bool names_runtime(const char *words)
{
	return words && (strstr(words, "libasan.") || strstr(words, "liblsan.") || strstr(words, "libclang_rt.asan") ||
			 strstr(words, "libclang_rt.lsan"));
}

/* Whether the file contains such a runtime, or is linked with one. */
static bool has_runtime(const char *path)
{
	struct rfs_elf *elf;
	char *const *needed, why[256];
	bool has;
	size_t n;

	if (rfs_elf_open(path, &elf, why, sizeof(why)))
		return false;
	has = rfs_elf_symbol(elf, "__lsan_do_leak_check", NULL, NULL) || rfs_elf_symbol(elf, "__lsan_init", NULL, NULL);
	n = rfs_elf_needed(elf, &needed);
	for (size_t i = 0; i < n && !has; i++)
		has = names_runtime(needed[i]);
	rfs_elf_free(elf);
	return has;
}

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* The new entry for one of the options; `old` is its value, or NULL. The last word has priority. */
static char *switched_off(const char *name, const char *old)
{
	return old && *old ? xasprintf("%s=%s:%s", name, old, OFF) : xasprintf("%s=%s", name, OFF);
}

char **rfs_environment(const struct rfs_program *program, char *const *environment, bool follows, bool *leaks_off)
{
	char *set[N_OPTIONS + 1] = {NULL}, **copy;

	*leaks_off = names_runtime(value_of(environment, "LD_PRELOAD")) || has_runtime(program->path);
	for (size_t i = 0; i < N_OPTIONS && (*leaks_off || program->script || follows); i++)
		set[i] = switched_off(options[i], value_of(environment, options[i]));
	copy = rfs_variables_set(environment, set);
	for (size_t i = 0; i < N_OPTIONS; i++)
		free(set[i]);
	return copy;
}
