/* read_ctest.c - the JSON of ctest --show-only=json-v1, see ctest(1), and cmake-properties(7) for the properties. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/cli/suite/read_lists.h"
#include "supervisor/cli/suite/suite_tests.h"

/* Adds the strings of an array, or a single string. */
static void take_words(char ***list, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		rfs_words_add(list, json_string_value(value));
	json_array_foreach(value, i, item) if (json_is_string(item)) rfs_words_add(list, json_string_value(item));
}

/* The value of a variable after the changes so far. Borrowed; NULL: it is not set. */
static const char *value_now(char *const *env, const char *name, size_t n)
{
	const char *value = NULL;
	char *key = xstrndup(name, n);

	value = getenv(key);
	free(key);
	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && ((*env)[n] == '=' || !(*env)[n]))
			value = (*env)[n] ? *env + n + 1 : NULL;
	return value;
}

/* What an operation of ENVIRONMENT_MODIFICATION makes of a value. Caller frees; NULL: the operation is not known. */
static char *modified(const char *op, size_t n, const char *old, const char *word)
{
	static const struct {
		const char *op, *between;
		bool first;
	} ops[] = {
		{"string_append", "", false},	  {"string_prepend", "", true},	     {"path_list_append", ":", false},
		{"path_list_prepend", ":", true}, {"cmake_list_append", ";", false}, {"cmake_list_prepend", ";", true},
	};

	if (n == 3 && strncmp(op, "set", n) == 0)
		return xstrdup(word);
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (strlen(ops[i].op) != n || strncmp(ops[i].op, op, n) != 0)
			continue;
		if (!old || !*old)
			return xstrdup(word);
		return ops[i].first ? xasprintf("%s%s%s", word, ops[i].between, old)
				    : xasprintf("%s%s%s", old, ops[i].between, word);
	}
	return NULL;
}

/* "NAME=operation:value" */
static void modify_variable(char ***env, const char *text)
{
	const size_t name = strcspn(text, "=");
	const char *op = text + name + 1, *colon = text[name] ? strchr(op, ':') : NULL;
	char *value, *entry = NULL, *key;

	if (!colon)
		return;
	key = xstrndup(text, name);
	if (strncmp(op, "unset:", strlen("unset:")) == 0) {
		rfs_words_add(env, key);
	} else if (strncmp(op, "reset:", strlen("reset:")) == 0) {
		entry = getenv(key) ? xasprintf("%s=%s", key, getenv(key)) : xstrdup(key);
		rfs_words_add(env, entry);
	} else if ((value = modified(op, (size_t)(colon - op), value_now(*env, text, name), colon + 1))) {
		entry = xasprintf("%s=%s", key, value);
		rfs_words_add(env, entry);
		free(value);
	}
	free(entry);
	free(key);
}

static void take_property(struct rfs_suite_test *test, const char *name, const json_t *value)
{
	const struct {
		const char *name;
		char ***list;
	} lists[] = {
		{"ENVIRONMENT", &test->env},
		{"RESOURCE_LOCK", &test->locks},
		{"FIXTURES_REQUIRED", &test->needs},
		{"FIXTURES_SETUP", &test->sets_up},
		{"FIXTURES_CLEANUP", &test->cleans_up},
		{"DEPENDS", &test->after},
		{"PASS_REGULAR_EXPRESSION", &test->passing},
		{"FAIL_REGULAR_EXPRESSION", &test->failing},
		{"SKIP_REGULAR_EXPRESSION", &test->skipping},
	};
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {{"DISABLED", &test->disabled}, {"WILL_FAIL", &test->fails}, {"RUN_SERIAL", &test->alone}};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (strcmp(name, lists[i].name) == 0)
			take_words(lists[i].list, value);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (strcmp(name, flags[i].name) == 0)
			*flags[i].flag = json_is_true(value);
	if (strcmp(name, "WORKING_DIRECTORY") == 0 && json_is_string(value) && !test->folder)
		test->folder = xstrdup(json_string_value(value));
	else if (strcmp(name, "TIMEOUT") == 0 && json_is_number(value) && json_number_value(value) > 0)
		test->timeout = json_number_value(value);
	else if (strcmp(name, "SKIP_RETURN_CODE") == 0 && json_is_integer(value))
		test->skips = (int)json_integer_value(value);
}

static void take_test(struct rfs_suite_tests *tests, const json_t *object)
{
	struct rfs_suite_test *test;
	const json_t *list = json_object_get(object, "properties"), *property;
	size_t i;

	test = rfs_suite_tests_add(tests, "ctest", json_string_value(json_object_get(object, "name")));
	take_words(&test->words, json_object_get(object, "command"));
	json_array_foreach(list, i, property)
	{
		const char *name = json_string_value(json_object_get(property, "name"));

		if (name)
			take_property(test, name, json_object_get(property, "value"));
	}
	/* after ENVIRONMENT, wherever it is in the list */
	json_array_foreach(list, i, property)
	{
		const char *name = json_string_value(json_object_get(property, "name"));
		const json_t *changes = json_object_get(property, "value"), *change;
		size_t k;

		if (!name || strcmp(name, "ENVIRONMENT_MODIFICATION") != 0)
			continue;
		if (json_is_string(changes))
			modify_variable(&test->env, json_string_value(changes));
		json_array_foreach(changes, k, change) if (json_is_string(change))
			modify_variable(&test->env, json_string_value(change));
	}
}

int rfs_read_ctest(const char *text, const char *from, struct rfs_suite_tests *tests, char *why, size_t n)
{
	json_error_t error;
	json_t *root, *list, *object;
	const char *kind;
	size_t i;
	int result = 0;

	/* ctest writes what it thinks of regular expressions before the list */
	while (*text && *text != '{' && strchr(text, '\n'))
		text = strchr(text, '\n') + 1;
	root = json_loads(text, 0, &error);
	list = json_object_get(root, "tests");
	kind = json_string_value(json_object_get(root, "kind"));
	if (!root) {
		result = rfs_why(why, n, -EBADMSG, "%s: its list of tests is damaged at line %d: %s", from, error.line,
				 error.text);
	} else if (!kind || strcmp(kind, "ctestInfo") != 0 || !json_is_array(list)) {
		result = rfs_why(why, n, -EBADMSG, "%s: this is not a list of tests; cmake 3.14 or later is needed",
				 from);
	} else {
		json_array_foreach(list, i, object) if (json_is_string(json_object_get(object, "name")))
			take_test(tests, object);
		else result = rfs_why(why, n, -EBADMSG, "%s: test %zu of its list has no name", from, i + 1);
	}
	json_decref(root);
	return result;
}
