/* summary_html_test.c - the page of rfsup --generate is well formed, whatever was found. */
#include "supervisor/generate/output/summary_html.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/library/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/output/summary.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/session/session.h"

TestSuite(summary_html, .timeout = 20);

/* Whether each element that begins in the page ends there, in the right order. */
static bool is_nested(const char *page)
{
	const char *open[32], *at = page;
	size_t n = 0;

	while ((at = strchr(at, '<'))) {
		const bool ends = at[1] == '/';
		const char *name = at + 1 + ends;
		const size_t length = strcspn(name, " >");

		at++;
		if (*name == '!' || strncmp(name, "meta", 4) == 0 || strncmp(name, "br", 2) == 0)
			continue;
		if (!ends && n < sizeof(open) / sizeof(*open))
			open[n++] = name;
		else if (!ends || n == 0 || strncmp(open[--n], name, length) != 0)
			return false;
	}
	return n == 0;
}

Test(summary_html, is_well_formed)
{
	static const struct rfs_generate_options options;
	const struct rfs_library library = {0};
	const struct rfs_library_type object = {.name = (char *)"map<int>"};
	struct rfs_generated_bug bug = {.source = (char *)"out/tests/map-1.c", .why = (char *)"no <run> failed"};
	struct rfs_type_result types[] = {{.type = &object, .bug = &bug}, {.type = &object}};
	struct rfs_session_result result = {.types = types};
	const struct rfs_summary summary = {&options, &library, "lib.so", "out", &result};

	rfs_tried_methods_init(&library, &result.tried);
	for (size_t n = 0; n <= 2; n++) {
		char *page;

		result.n_types = n;
		page = rfs_summary_html(&summary);
		cr_expect(is_nested(page), "%zu types: %s", n, page);
		cr_expect_eq(strstr(page, "map&lt;int>") != NULL || strstr(page, "map&lt;int&gt;") != NULL, n > 0);
		cr_expect(strstr(page, "<pre>"));
		free(page);
	}
	rfs_tried_methods_release(&result.tried);
}
