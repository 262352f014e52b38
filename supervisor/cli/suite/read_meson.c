/* read_meson.c - the JSON of meson introspect --tests and meson runpython, and of cargo test --message-format=json. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/cli/suite/read_lists.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/report/data/report_own.h"

/* A test ends with it if it could not be carried out, which is red even if it should fail. */
#define STATUS_ERROR 99

/* The exit status of a test that was skipped is fixed, except for some protocols (Meson's manual, "Unit tests"). */
static bool skips(const char *protocol)
{
	return !protocol || strcmp(protocol, "exitcode") == 0;
}

static void meson_take(struct rfs_suite_tests *tests, json_t *object)
{
	const char *suite = json_string_value(json_array_get(json_object_get(object, "suite"), 0));
	const char *name = json_string_value(json_object_get(object, "name")), *key;
	json_t *words = json_object_get(object, "cmd"), *value;
	const json_t *parallel = json_object_get(object, "is_parallel");
	struct rfs_suite_test *test = rfs_suite_tests_add(tests, suite ? suite : "meson", name);
	const char *folder = json_string_value(json_object_get(object, "workdir"));
	size_t i;

	json_array_foreach(words, i, value) if (json_is_string(value))
		rfs_words_add(&test->words, json_string_value(value));
	json_object_foreach(json_object_get(object, "env"), key, value)
	{
		char *entry = xasprintf("%s=%s", key, json_is_string(value) ? json_string_value(value) : "");

		rfs_words_add(&test->env, entry);
		free(entry);
	}
	if (folder)
		test->folder = xstrdup(folder);
	if (json_number_value(json_object_get(object, "timeout")) > 0)
		test->timeout = json_number_value(json_object_get(object, "timeout"));
	test->alone = json_is_false(parallel);
	test->any_failure = true;
	if (skips(json_string_value(json_object_get(object, "protocol")))) {
		test->skips = RFS_STATUS_SKIP;
		test->errs = STATUS_ERROR;
	}
}

int rfs_read_meson(const char *text, const char *from, struct rfs_suite_tests *tests, char *why, size_t n)
{
	json_error_t error;
	json_t *root = json_loads(text, 0, &error), *object;
	size_t i;
	int result = 0;

	if (!root)
		result = rfs_why(why, n, -EBADMSG, "%s: its list of tests is damaged at line %d: %s", from, error.line,
				 error.text);
	else if (!json_is_array(root))
		result = rfs_why(why, n, -EBADMSG, "%s: this is not a list of tests", from);
	json_array_foreach(root, i, object) if (json_is_string(json_object_get(object, "name")))
		meson_take(tests, object);
	else result = rfs_why(why, n, -EBADMSG, "%s: test %zu of its list has no name", from, i + 1);
	json_decref(root);
	return result;
}

int rfs_read_meson_failing(const char *text, struct rfs_suite_tests *tests)
{
	json_t *root = json_loads(text, 0, NULL), *pair;
	const int error = json_is_array(root) ? 0 : -EBADMSG;
	size_t i;

	json_array_foreach(root, i, pair)
	{
		const char *suite = json_string_value(json_array_get(pair, 0));
		const char *name = json_string_value(json_array_get(pair, 1));

		for (size_t k = 0; k < tests->n; k++)
			if (name && strcmp(tests->list[k].name, name) == 0 &&
			    strcmp(tests->list[k].suite, suite ? suite : "meson") == 0)
				tests->list[k].fails = true;
	}
	json_decref(root);
	return error;
}

int rfs_read_cargo(const char *text, int (*program)(void *arg, const struct rfs_cargo_program *program), void *arg)
{
	int error = 0;

	for (const char *line = text; *line && !error; line += strcspn(line, "\n"), line += *line == '\n') {
		json_t *root = json_loadb(line, strcspn(line, "\n"), 0, NULL);
		const json_t *target = json_object_get(root, "target");
		struct rfs_cargo_program found = {
			.path = json_string_value(json_object_get(root, "executable")),
			.target = json_string_value(json_object_get(target, "name")),
			.manifest = json_string_value(json_object_get(root, "manifest_path")),
		};

		if (!found.target)
			found.target = found.path;
		if (found.path && json_is_true(json_object_get(json_object_get(root, "profile"), "test")))
			error = program(arg, &found);
		json_decref(root);
	}
	return error;
}
