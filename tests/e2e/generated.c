#include "tests/e2e/generated.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

/* So long that the budget never ends a session. */
#define BUDGET "800"

json_t *generated(struct e2e *e2e, const char *library, const char *header, const char *const *options)
{
	char name[128], path[PATH_MAX], file[PATH_MAX], *absolute, *target;
	const char *args[40] = {"--generate", NULL,   "--header", NULL,	      "-o",  "out",
				"--format",   "json", "--quiet",  "--budget", BUDGET};
	size_t n = 11;
	json_t *report;

	snprintf(name, sizeof(name), "lib%s.so", library);
	target = e2e_target("O2g", name);
	snprintf(path, sizeof(path), "targets/lib/%s.h", header);
	absolute = realpath(path, file);
	if (!absolute) {
		snprintf(path, sizeof(path), "targets/lib/%s.hpp", header);
		absolute = realpath(path, file);
	}
	cr_assert_not_null(absolute, "%s", path);
	args[1] = target;
	args[3] = file;
	while (*options)
		args[n++] = *options++;
	e2e_say(e2e, args);
	report = json_loads(e2e->said.out, 0, NULL);
	e2e_expect(e2e, report, "no report\n%s%s", e2e->said.out, e2e->said.err);
	free(target);
	return report;
}

const char *generated_string(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

json_t *generated_type(const json_t *report, size_t i)
{
	return json_array_get(json_object_get(report, "types"), i);
}

void generated_nothing(struct e2e *e2e, json_t *report)
{
	json_int_t n_tests = 0;
	json_t *type;
	size_t i;

	e2e_expect_status(e2e, 0);
	json_array_foreach(json_object_get(report, "types"), i, type)
	{
		n_tests += json_integer_value(json_object_get(type, "tests"));
		e2e_expect(e2e, strcmp(generated_string(type, "verdict"), "thread-unsafe") != 0, "a finding\n%s",
			   e2e->said.out);
		e2e_expect(e2e, json_integer_value(json_object_get(type, "dismissed")) == 0, "dismissed\n%s",
			   e2e->said.out);
	}
	e2e_expect(e2e, n_tests > 0, "no tests\n%s", e2e->said.out);
}
