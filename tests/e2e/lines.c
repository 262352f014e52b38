#include "tests/e2e/lines.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TARGETS RFS_BUILD "/targets/"

/* Fails the test if the builds with and without debug information have different code. */
static void expect_same_code(const struct e2e *e2e, const char *variant, const char *module)
{
	char command[6 * PATH_MAX];

	snprintf(command, sizeof(command),
		 "objcopy -O binary --only-section=.text " TARGETS "%s/%s %s/plain.text && "
		 "objcopy -O binary --only-section=.text " TARGETS "%sg/%s %s/debug.text && "
		 "cmp %s/plain.text %s/debug.text",
		 variant, module, e2e->folder, variant, module, e2e->folder, e2e->folder, e2e->folder);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
}

/* Reads "FILE:LINE" or "FILE:LINE (discriminator N)" into place. False if it is "??:0" or "FILE:?". */
static bool read_line(char *text, json_t *place)
{
	char *colon = strrchr(text, ':');
	long line = colon ? strtol(colon + 1, NULL, 10) : 0;

	if (line <= 0)
		return false;
	*colon = '\0';
	json_object_set_new(place, "file", json_string(text));
	json_object_set_new(place, "line", json_integer(line));
	return true;
}

/*
 * Adds file and line to place. If the code is inlined, appends a frame for each outer function to `outer`, unless that
 * is NULL. back: how many bytes before the offset to look, because a caller's offset is its return address, which may
 * belong to the next statement.
 */
static void add(struct e2e *e2e, const char *variant, json_t *place, json_t *outer, long long back)
{
	const char *whole = json_string_value(json_object_get(place, "module"));
	const char *module = whole ? strrchr(whole, '/') : NULL;
	char path[PATH_MAX], command[2 * PATH_MAX], text[PATH_MAX];
	bool first = true;
	FILE *lines;

	if (!module)
		return;
	module++;
	snprintf(path, sizeof(path), TARGETS "%s/%s", variant, module);
	if (access(path, R_OK) != 0)
		return; /* a library of the system, not of the targets */
	expect_same_code(e2e, variant, module);
	snprintf(command, sizeof(command), "addr2line -i -e " TARGETS "%sg/%s 0x%llx", variant, module,
		 (unsigned long long)json_integer_value(json_object_get(place, "offset")) - back);
	lines = popen(command, "r"); // NOLINT(cert-env33-c): no foreign input
	cr_assert_not_null(lines);
	while (fgets(text, sizeof(text), lines)) {
		json_t *where = first ? place : outer ? json_object() : NULL;

		if (where && read_line(text, where) && !first)
			json_array_append(outer, where);
		if (!first)
			json_decref(where);
		first = false;
	}
	cr_assert_eq(pclose(lines), 0, "%s", command);
}

void lines_add(struct e2e *e2e, const char *variant)
{
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		json_t *statements = json_object_get(e2e_item(e2e, "pairs", i), "statements");

		for (size_t side = 0; side < 2; side++) {
			json_t *statement = json_array_get(statements, side);
			json_t *stack = json_object_get(statement, "stack");
			size_t n = json_array_size(stack);

			add(e2e, variant, statement, NULL, 0);
			for (size_t k = 0; k < n; k++)
				add(e2e, variant, json_array_get(stack, k), stack, k > 0);
		}
	}
}
