/* debian_package_test.c - the package of a file, from invented lists. */
#include "supervisor/report/text/debian_package.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/supervisor/scratch.h"

TestSuite(debian_package, .timeout = 20);

Test(debian_package, is_found_by_either_name)
{
	static const char pigz[] = "/.\n/usr/bin/pigz\n", libz[] = "/lib/libz.so.1\n";
	const struct {
		const char *path, *package;
	} cases[] = {
		{"/usr/bin/pigz", "pigz"}, {"/usr/lib/libz.so.1", "zlib1g"}, {"/lib/libz.so.1", "zlib1g"},
		{"/bin/pigz", "pigz"},	   {"/usr/bin/pigz2", NULL},	     {"/opt/mine", NULL},
	};
	char *scratch = scratch_enter();

	scratch_file("pigz.list", pigz, strlen(pigz), 0600);
	scratch_file("zlib1g:amd64.list", libz, strlen(libz), 0600);
	scratch_file("pigz.md5sums", libz, strlen(libz), 0600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *package = rfs_debian_package(".", cases[i].path);

		cr_expect_eq(package != NULL, cases[i].package != NULL, "case %zu", i);
		if (package && cases[i].package)
			cr_expect_str_eq(package, cases[i].package, "case %zu", i);
		free(package);
	}
	cr_expect_null(rfs_debian_package("/nonexistent", "/usr/bin/pigz"));
	scratch_leave(scratch);
}
