/* scope_options_test.c - which lines of which files a diff has. */
#include "supervisor/cli/options/scope_options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/import/scope.h"

TestSuite(scope_options, .timeout = 20);

Test(scope_options, lines_of_a_diff)
{
	static const char diff[] = "diff --git a/src/a.c b/src/a.c\n"
				   "index 1..2 100644\n"
				   "--- a/src/a.c\n"
				   "+++ b/src/a.c\n"
				   "@@ -3,7 +3,8 @@ static int f(void)\n"
				   " {\n"
				   "+++ b/not/a/file.c\n"
				   "@@ -40 +41 @@\n"
				   "-x\n"
				   "+y\n"
				   "diff --git a/gone.c b/gone.c\n"
				   "--- a/gone.c\n"
				   "+++ /dev/null\n"
				   "@@ -1,2 +0,0 @@\n"
				   "-x\n"
				   "diff --git a/two words.c b/two words.c\n"
				   "new file mode 100644\n"
				   "--- /dev/null\n"
				   "+++ b/two words.c\t\n"
				   "@@ -0,0 +1,2 @@\n"
				   "+x\n"
				   "+y\n"
				   "@@ -10,1 +12,0 @@\n"
				   "diff --git a/cut";
	static const char *const expected[] = {"src/a.c:3-10", "src/a.c:41-41", "two words.c:1-2"};
	FILE *file = fmemopen((char *)diff, strlen(diff), "r");
	struct rfs_scope scope = {0};

	cr_assert_not_null(file);
	rfs_scope_add_diff(&scope, file);
	fclose(file);
	cr_assert_eq(scope.n_only, 3);
	cr_expect_eq(scope.n_changed, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_str_eq(scope.only[i].text, expected[i]);
	rfs_scope_release(&scope);
}
