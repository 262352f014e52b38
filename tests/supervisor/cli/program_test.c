/* program_test.c - what PROGRAM refers to, and the messages for files that cannot be run. */
#include "supervisor/cli/program.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/settings/program.h"
#include "tests/supervisor/scratch.h"

TestSuite(program, .timeout = 20);

#define ARGV(...) ((char *const[]){__VA_ARGS__, NULL})

static void script(const char *name, const char *text)
{
	scratch_file(name, text, strlen(text), 0755);
}

static int resolve(const char *name, struct rfs_program *out, char *why, size_t n)
{
	return rfs_program_resolve(ARGV((char *)name, (char *)"x"), NULL, out, why, n);
}

Test(program, is_found_as_execvp_would)
{
	char *scratch = scratch_enter(), why[512] = "", *expected;
	struct rfs_program program;

	cr_assert_eq(mkdir("one", 0777) + mkdir("two", 0777) + mkdir("one/prog", 0777), 0);
	cr_assert_eq(symlink("/bin/true", "two/prog"), 0);
	scratch_file("one/dull", "", 0, 0644);
	setenv("PATH", "one:two:", 1);

	cr_assert_eq(resolve("prog", &program, why, sizeof(why)), 0, "%s", why);
	expected = xasprintf("%s/two/prog", scratch);
	cr_assert_str_eq(program.path, expected, "a directory of that name is passed over");
	cr_assert_str_eq(program.argv[0], "prog");
	cr_assert_str_eq(program.argv[1], "x");
	cr_assert_null(program.argv[2]);
	cr_assert_null(program.script);
	rfs_program_release(&program);
	free(expected);

	cr_assert_eq(resolve("./two/prog", &program, why, sizeof(why)), 0, "%s", why);
	cr_assert_str_eq(program.argv[0], "./two/prog");
	rfs_program_release(&program);
	cr_assert_eq(rfs_program_resolve(ARGV((char *)"./prog"), "two", &program, why, sizeof(why)), 0, "%s", why);
	rfs_program_release(&program);

	cr_assert_eq(resolve("nosuch", &program, why, sizeof(why)), -ENOENT);
	cr_assert_not_null(strstr(why, "no program 'nosuch' in PATH"), "%s", why);
	cr_assert_eq(resolve("dull", &program, why, sizeof(why)), -EACCES);
	cr_assert_not_null(strstr(why, "'dull' in PATH is not executable"), "%s", why);
	scratch_leave(scratch);
}

Test(program, cannot_be_run)
{
	const struct {
		const char *name;
		int error;
		const char *why;
	} cases[] = {
		{"", -ENOENT, "the program name is empty"},
		{"./nosuch", -ENOENT, "no such program"},
		{"./dir", -EISDIR, "is a directory"},
		{"./plain", -EACCES, "is not executable; run chmod +x"},
		{"/dev/null", -ENOEXEC, "is not a regular file"},
		{"./empty", -ENOEXEC, "is empty"},
		{"./binary", -ENOEXEC, NULL},
		{"./truncated", -ENOEXEC, NULL},
		{"./bits32", -ENOEXEC, NULL},
		{"./arm", -ENOEXEC, NULL},
		{"./setuid", -EPERM, "is setuid"},
		{"./setgid", -EPERM, "is setgid"},
		{"./blank", -ENOEXEC, "names no interpreter"},
		{"./lost", -ENOENT, "no such program: '/nonexistent/interpreter'"},
		{"./loop", -ELOOP, "too many nested interpreters"},
		{"./plain/x", -EINVAL, "Not a directory"},
	};
	char *scratch = scratch_enter();
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	cr_assert_eq(mkdir("dir", 0777), 0);
	script("plain", "#!/bin/sh\n");
	cr_assert_eq(chmod("plain", 0644), 0);
	script("empty", "");
	scratch_file("binary", "\0\1\2\3\0\0\0\0", 8, 0755);
	scratch_file("truncated", &header, 20, 0755);
	scratch_file("arm", &header, sizeof(header), 0755);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	header.e_machine = EM_386;
	scratch_file("bits32", &header, sizeof(header), 0755);
	script("setuid", "#!/bin/sh\n");
	cr_assert_eq(chmod("setuid", 04755), 0);
	script("setgid", "#!/bin/sh\n");
	cr_assert_eq(chmod("setgid", 02755), 0);
	script("blank", "#!  \n");
	script("lost", "#!/nonexistent/interpreter\n");
	script("loop", "#!./loop\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_program program;
		char why[512] = "";

		cr_expect_eq(resolve(cases[i].name, &program, why, sizeof(why)), cases[i].error, "'%s': %s",
			     cases[i].name, why);
		cr_expect(*why && !strchr(why, '\n'), "'%s': one line is said: %s", cases[i].name, why);
		if (cases[i].why)
			cr_expect_not_null(strstr(why, cases[i].why), "'%s': %s", cases[i].name, why);
		cr_expect_null(program.path);
	}
	scratch_leave(scratch);
}

Test(program, a_library_is_no_program)
{
	static const char *const libraries[] = {"/lib/x86_64-linux-gnu/libm.so.6",
						"/usr/lib/x86_64-linux-gnu/libm.so.6"};
	char *scratch = scratch_enter(), why[512] = "", *copy;
	struct rfs_program program;
	size_t i = access(libraries[0], R_OK) == 0 ? 0 : 1;

	copy = xasprintf("cp %s lib.so && chmod +x lib.so", libraries[i]);
	cr_assert_eq(system(copy), 0);
	free(copy);
	cr_assert_eq(resolve("./lib.so", &program, why, sizeof(why)), -ENOEXEC, "%s", why);
	cr_assert_not_null(strstr(why, "is a library"), "%s", why);
	scratch_leave(scratch);
}

Test(program, scripts_become_their_interpreters)
{
	const struct {
		const char *text, *path, *argument;
	} cases[] = {
		{"#!/bin/sh\n", "/bin/sh", NULL},
		{"#! /bin/sh  -e x \t\nmore", "/bin/sh", "-e x"},
		{"#!/bin/sh", "/bin/sh", NULL},
		{"echo no first line\n", "/bin/sh", NULL},
	};
	char *scratch = scratch_enter(), *file = xasprintf("%s/s", scratch);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_program program;
		char why[512] = "";
		int n = 0;

		script("s", cases[i].text);
		cr_assert_eq(resolve("./s", &program, why, sizeof(why)), 0, "case %zu: %s", i, why);
		cr_expect_str_eq(program.path, cases[i].path);
		cr_expect_str_eq(program.script, file);
		cr_expect_str_eq(program.argv[n++], cases[i].path);
		if (cases[i].argument)
			cr_expect_str_eq(program.argv[n++], cases[i].argument, "case %zu", i);
		cr_expect_str_eq(program.argv[n++], file);
		cr_expect_str_eq(program.argv[n++], "x");
		cr_expect_null(program.argv[n]);
		rfs_program_release(&program);
	}
	free(file);
	scratch_leave(scratch);
}

Test(program, scripts_of_scripts)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_program program;

	script("s1", "#!./s2\n");
	script("s2", "#!./s3 two\n");
	script("s3", "#!./s4\n");
	script("s4", "#!/bin/sh\n");
	cr_assert_eq(resolve("./s1", &program, why, sizeof(why)), 0, "%s", why);
	const char *const words[] = {"/bin/sh", "/s4", "/s3", "two", "/s2", "/s1", "x"};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		cr_expect(strlen(program.argv[i]) >= strlen(words[i]) &&
				  strcmp(program.argv[i] + strlen(program.argv[i]) - strlen(words[i]), words[i]) == 0,
			  "word %zu is %s", i, program.argv[i]);
	cr_expect_null(program.argv[7]);
	rfs_program_release(&program);
	script("s0", "#!./s1\n");
	cr_assert_eq(resolve("./s0", &program, why, sizeof(why)), -ELOOP);
	scratch_leave(scratch);
}
