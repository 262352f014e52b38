#include <criterion/criterion.h>
#include <sys/syscall.h>

#include "supervisor/base/text/syscall_name.h"

TestSuite(syscall_name, .timeout = 60);

Test(syscall_name, known_and_unknown)
{
	static const struct {
		long number;
		const char *text;
	} cases[] = {
		{SYS_read, "read(2)"},	     {SYS_poll, "poll(2)"},  {SYS_futex, "futex(2)"},
		{SYS_openat2, "openat2(2)"}, {-1, "system call -1"}, {100000, "system call 100000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64];

		rfs_syscall_name(cases[i].number, text, sizeof(text));
		cr_expect_str_eq(text, cases[i].text);
	}
}
