/* find_tests.c - finds out what BUILD is, and runs the command that lists its tests. */
#include "supervisor/cli/suite/find_tests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/file.h"
#include "supervisor/base/path.h"
#include "supervisor/base/spawn.h"
#include "supervisor/cli/suite/read_lists.h"

/* A list of more than this is not read. */
#define LIST_SIZE (64u << 20)
/* The time in which tests must be listed; cargo compiles them first. */
#define LIST_SECONDS 60
#define BUILD_SECONDS 3600

/* ---- build systems ---- */

static const struct system {
	const char *name, *mark;      /* a folder with a file of this name is one of the system */
	const char *words[8];	      /* run in the folder */
	const char *command, *advice; /* for messages: what it is called, and what to do if it is missing */
	double seconds;
	int (*read)(const char *text, const char *from, struct rfs_suite_tests *tests, char *why, size_t n);
} systems[] = {
	{"CMake",
	 "CTestTestfile.cmake",
	 {"ctest", "--show-only=json-v1"},
	 "ctest",
	 "install cmake",
	 LIST_SECONDS,
	 rfs_read_ctest},
	{"Meson",
	 "meson-info",
	 {"meson", "introspect", "--tests", "."},
	 "meson",
	 "install meson",
	 LIST_SECONDS,
	 rfs_read_meson},
	{"Cargo",
	 "Cargo.toml",
	 {"cargo", "test", "--workspace", "--no-run", "--message-format=json"},
	 "cargo",
	 "install cargo",
	 BUILD_SECONDS,
	 NULL},
};

/* meson introspect does not say which tests should fail. What meson test reads does, and only Meson can read it. */
static const char *const meson_failing[] = {
	"meson", "runpython", "-c",
	"import json, pickle\n"
	"with open('meson-private/meson_test_setup.dat', 'rb') as f:\n"
	"    tests = pickle.load(f)\n"
	"print(json.dumps([[(t.suite or [None])[0], t.name] for t in tests if t.should_fail]))\n",
	NULL};

static void ask_meson_failing(const char *build, struct rfs_suite_tests *tests)
{
	struct rfs_spawn_read what = {
		.words = (char *const *)meson_failing,
		.environment = environ,
		.folder = build,
		.quiet = true,
		.seconds = LIST_SECONDS,
		.max = LIST_SIZE,
	};
	char *text = NULL;
	int status, error = rfs_spawn_read(&what, &text, &status);

	if (error || rfs_read_meson_failing(text, tests))
		rfs_warn("--suite: meson does not say which tests of '%s' should fail; these have the result FAILED",
			 build);
	if (!error)
		free(text);
}

static bool has_file(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	const bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

/* Runs a command that lists tests. Caller frees *text. */
static int ask(const struct system *system, const char *build, char **text, char *why, size_t n)
{
	struct rfs_spawn_read what = {
		.words = (char *const *)system->words,
		.environment = environ,
		.folder = build,
		.seconds = system->seconds,
		.max = LIST_SIZE,
	};
	int status, error = rfs_spawn_read(&what, text, &status);

	if (error == -ENOENT)
		return rfs_why(why, n, error, "--suite: '%s' is a build folder of %s, but there is no %s; %s", build,
			       system->name, system->command, system->advice);
	if (error == -ETIME)
		return rfs_why(why, n, error, "--suite: %s did not list the tests of '%s' within %.0f s",
			       system->command, build, system->seconds);
	if (error)
		return rfs_why(why, n, error, "--suite: %s cannot list the tests of '%s': %s", system->command, build,
			       strerror(-error));
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		free(*text);
		*text = NULL;
		return rfs_why(why, n, -EINVAL, "--suite: %s failed and did not list the tests of '%s'; build it first",
			       system->command, build);
	}
	return 0;
}

/* ---- test programs ---- */

/* The framework of a program; RFS_N_FRAMEWORKS: none that is known. */
static enum rfs_framework framework_of(const char *path)
{
	enum rfs_framework framework = 0;

	while (framework < RFS_N_FRAMEWORKS && !rfs_file_has(path, rfs_frameworks[framework].marks, 2))
		framework++;
	return framework;
}

static int list_program(const char *path, enum rfs_framework framework, const char *suite,
			struct rfs_suite_tests *tests, char *why, size_t n)
{
	const struct rfs_framework_list *list = &rfs_frameworks[framework];
	char **words = NULL, *text;
	int status, error;

	rfs_words_add(&words, path);
	for (size_t i = 0; list->options[i]; i++)
		rfs_words_add(&words, list->options[i]);
	/* the exit status of some frameworks is the number of tests */
	error = rfs_spawn_read(
		&(struct rfs_spawn_read){
			.words = words, .environment = environ, .seconds = LIST_SECONDS, .max = LIST_SIZE},
		&text, &status);
	rfs_words_free(words);
	if (error)
		return rfs_why(why, n, error, "--suite: '%s %s' did not list tests: %s", path, list->options[0],
			       strerror(-error));
	rfs_read_framework(framework, text, path, suite, tests);
	free(text);
	return 0;
}

static int ask_program(const char *path, const char *suite, struct rfs_suite_tests *tests, char *why, size_t n)
{
	const enum rfs_framework framework = framework_of(path);

	if (framework == RFS_N_FRAMEWORKS)
		return rfs_why(why, n, -EINVAL,
			       "--suite: '%s' is not a program of GoogleTest, Catch2, doctest or libtest; give a build "
			       "folder of CMake or Meson, or start the program without --suite",
			       path);
	return list_program(path, framework, suite, tests, why, n);
}

struct cargo {
	const char *build; /* the folder of the workspace */
	struct rfs_suite_tests *tests;
	char *why;
	size_t n;
};

/* Adds the tests of a program of Cargo, which starts them in the folder of their package. */
static int cargo_program(void *arg, const struct rfs_cargo_program *program)
{
	struct cargo *cargo = arg;
	const enum rfs_framework framework = framework_of(program->path);
	const char *slash = program->manifest ? strrchr(program->manifest, '/') : NULL;
	char *folder = slash ? xstrndup(program->manifest, (size_t)(slash - program->manifest)) : xstrdup(cargo->build);
	char *suite = strcmp(folder, cargo->build) == 0 ? xstrdup(program->target)
							: xasprintf("%s/%s", rfs_base_name(folder), program->target);
	char *package = xasprintf("CARGO_MANIFEST_DIR=%s", folder);
	const size_t first = cargo->tests->n;
	int error = 0;

	/* a program without the harness is one test */
	if (framework == RFS_N_FRAMEWORKS)
		rfs_words_add(&rfs_suite_tests_add(cargo->tests, suite, program->target)->words, program->path);
	else
		error = list_program(program->path, framework, suite, cargo->tests, cargo->why, cargo->n);
	for (size_t i = first; i < cargo->tests->n; i++) {
		cargo->tests->list[i].folder = xstrdup(folder);
		rfs_words_add(&cargo->tests->list[i].env, package);
	}
	free(package);
	free(suite);
	free(folder);
	return error;
}

/* ---- BUILD ---- */

static int ask_system(const struct system *system, const char *build, struct rfs_suite_tests *tests, char *why,
		      size_t n)
{
	char *text = NULL, *from = xasprintf("--suite: %s", system->command);
	int error = ask(system, build, &text, why, n);

	if (!error && system->read)
		error = system->read(text, from, tests, why, n);
	else if (!error)
		error = rfs_read_cargo(text, cargo_program, &(struct cargo){build, tests, why, n});
	if (!error && system->read == rfs_read_meson)
		ask_meson_failing(build, tests);
	free(text);
	free(from);
	return error;
}

int rfs_find_tests(const char *build, struct rfs_suite_tests *tests, char *why, size_t n)
{
	struct stat st;
	char *path = realpath(build, NULL);
	int error = 0;
	size_t i = 0;

	*tests = (struct rfs_suite_tests){0};
	if (!path || stat(path, &st)) {
		error = rfs_why(why, n, -errno, "--suite: cannot read '%s': %s", build, strerror(errno));
	} else if (!S_ISDIR(st.st_mode)) {
		error = ask_program(path, rfs_base_name(path), tests, why, n);
	} else {
		while (i < sizeof(systems) / sizeof(*systems) && !has_file(path, systems[i].mark))
			i++;
		if (i < sizeof(systems) / sizeof(*systems))
			error = ask_system(&systems[i], path, tests, why, n);
		else
			error = rfs_why(why, n, -EINVAL,
					"--suite: '%s' has neither CTestTestfile.cmake nor meson-info nor Cargo.toml; "
					"give the folder in which the tests were built",
					build);
	}
	if (!error && !tests->n)
		error = rfs_why(why, n, -EINVAL, "--suite: '%s' has no tests", build);
	free(path);
	if (error)
		rfs_suite_tests_release(tests);
	return error;
}
