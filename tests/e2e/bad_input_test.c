/*
 * bad_input_test.c - for bad input, rfsup writes one clear line to standard error and ends with status 2. It writes
 * nothing to standard output, and leaves no process and no file. Nearly all of this is decided before a process starts.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(bad_input, .timeout = 120);

struct bad {
	const char *const *words;
	const char *why; /* a part of the message */
};

/* The number of entries in a folder. */
static int entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2; /* do not count . and .. */

	cr_assert_not_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void refused(const struct bad *cases, size_t n, const char *folder)
{
	int before = entries(folder);

	for (size_t i = 0; i < n; i++) {
		struct spawned run;
		char *newline;

		spawn_rfsup(cases[i].words, folder, NULL, &run);
		newline = strchr(run.err, '\n');
		cr_expect_eq(run.status, 2, "case %zu (%s): status %d, %s", i, cases[i].why, run.status, run.err);
		cr_expect_not_null(strstr(run.err, cases[i].why), "case %zu: '%s' does not say '%s'", i, run.err,
				   cases[i].why);
		cr_expect(strncmp(run.err, "rfsup: ", 7) == 0 && newline && newline[1] == '\0',
			  "case %zu: not one line: '%s'", i, run.err);
		cr_expect_str_eq(run.out, "", "case %zu", i);
		cr_expect_eq(spawn_running("cwd", folder), 0, "case %zu (%s) leaves a process", i, cases[i].why);
		cr_expect_eq(entries(folder), before, "case %zu (%s) leaves something behind", i, cases[i].why);
		spawned_release(&run);
	}
}
#define REFUSED(cases, folder) refused(cases, sizeof(cases) / sizeof(*(cases)), folder)

Test(bad_input, command_lines)
{
	static const char *const none[] = {NULL};
	const struct bad cases[] = {
		{none, "no program given"},
		{WORDS("--nosuch", "/bin/true"), "unknown option '--nosuch'"},
		{WORDS("-z", "/bin/true"), "unknown option '-z'"},
		{WORDS("--runs"), "--runs needs a value"},
		{WORDS("--runs", "-1", "/bin/true"), "--runs: '-1'"},
		{WORDS("--runs", "0", "/bin/true"), "--runs: '0'"},
		{WORDS("--runs", "123456789012345678901234567890", "/bin/true"), "--runs: '1234567890"},
		{WORDS("--explore", "12x", "/bin/true"), "--explore: '12x'"},
		{WORDS("--seed", "-1", "/bin/true"), "--seed: '-1'"},
		{WORDS("--seed", "9007199254740992", "/bin/true"), "--seed"},
		{WORDS("-j", "999999", "/bin/true"), "--jobs: '999999'"},
		{WORDS("--timeout", "-3", "/bin/true"), "--timeout: '-3'"},
		{WORDS("--timeout", "nan", "/bin/true"), "--timeout: 'nan'"},
		{WORDS("--budget", "soon", "/bin/true"), "--budget: 'soon'"},
		{WORDS("--hang-factor", "0", "/bin/true"), "--hang-factor: '0'"},
		{WORDS("--policy", "nosuch", "/bin/true"), "unknown policy 'nosuch'"},
		{WORDS("--policy", "./nosuch.so", "/bin/true"), "--policy: cannot read './nosuch.so'"},
		{WORDS("--policy", "nosuch", "/bin/true"),
		 "choose racefuzzer, random, rapos, pct, pos, surw, drfinder"},
		{WORDS("--policy", "pct:depth=0", "/bin/true"), "policy pct does not accept these options: depth=0"},
		{WORDS("--policy", "drfinder:depth=65", "/bin/true"), "policy drfinder does not accept these options"},
		{WORDS("--policy", "rapos:nosuch=1", "/bin/true"),
		 "policy rapos does not accept these options: nosuch=1"},
		{WORDS("--policy", "pct:depth=3", "--bug-depth=4", "/bin/true"), "depth=3,depth=4"},
		{WORDS("--explore-with", "pct:depth=x", "/bin/true"),
		 "policy pct does not accept these options: depth=x"},
		{WORDS("--policy", "random", "--runs", "1000001", "/bin/true"), "--runs: '1000001'"},
		{WORDS("--policy", "random", "--plot", "no/such.svg", "/bin/true"),
		 "--plot: cannot write 'no/such.svg'"},
		{WORDS("--detector", "nosuch", "/bin/true"), "choose one of fasttrack, hybrid, none"},
		{WORDS("--detector", "nosuch", "/bin/true"), "unknown detector 'nosuch'"},
		{WORDS("--points", "nosuch", "/bin/true"), "--points: 'nosuch'"},
		{WORDS("--format", "nosuch", "/bin/true"), "--format: 'nosuch'"},
		{WORDS("--stdin", "nosuch", "/bin/true"), "--stdin: cannot read 'nosuch'"},
		{WORDS("--fresh-dir", "nosuch", "/bin/true"), "--fresh-dir: cannot read 'nosuch'"},
		{WORDS("--env", "NAME", "/bin/true"), "--env: 'NAME' is not NAME=VALUE"},
		{WORDS("--env", "=x", "/bin/true"), "--env: '=x' is not NAME=VALUE"},
		{WORDS("--replay", "nosuch"), "--replay: cannot read 'nosuch'"},
	};
	char *folder = spawn_folder();

	REFUSED(cases, folder);
	spawn_folder_remove(folder);
}

Test(bad_input, programs)
{
	const struct bad cases[] = {
		{WORDS("nosuch-program"), "no program 'nosuch-program' in PATH"},
		{WORDS("./nosuch"), "no such program"},
		{WORDS(""), "the program name is empty"},
		{WORDS("/tmp"), "is a directory"},
		{WORDS("./plain"), "is not executable"},
		{WORDS("./empty"), "is empty"},
		{WORDS("./binary"), "not an ELF file"},
		{WORDS("./bits32"), "32-bit"},
		{WORDS("./arm"), "another architecture"},
		{WORDS("./cut"), "is truncated"},
		{WORDS("./header"), "is truncated"},
		{WORDS("./setuid"), "is setuid"},
		{WORDS("./lost"), "no such program: '/nosuch/sh'"},
		{WORDS("./loop"), "too many nested interpreters"},
		{WORDS("/dev/null"), "is not a regular file"},
	};
	char *folder = spawn_folder();
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = 0x401000,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4,
	};
	Elf32_Ehdr small = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_386,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(small),
	};

	spawn_file(folder, "plain", "#!/bin/sh\n", 10, 0644);
	spawn_file(folder, "empty", "", 0, 0755);
	spawn_file(folder, "binary", "\1\2\0\3", 4, 0755);
	spawn_file(folder, "bits32", &small, sizeof(small), 0755);
	spawn_file(folder, "cut", &header, 30, 0755);
	spawn_file(folder, "header", &header, sizeof(header), 0755); /* without the program headers that it announces */
	header.e_machine = EM_AARCH64;
	spawn_file(folder, "arm", &header, sizeof(header), 0755);
	spawn_file(folder, "setuid", "#!/bin/sh\n", 10, 04755);
	spawn_file(folder, "lost", "#!/nosuch/sh\n", 13, 0755);
	spawn_file(folder, "loop", "#!./loop\n", 9, 0755);
	REFUSED(cases, folder);
	spawn_folder_remove(folder);
}

Test(bad_input, pairs_files)
{
	const struct bad cases[] = {
		{WORDS("--pairs", "nosuch", "/bin/true"), "--pairs: cannot read 'nosuch'"},
		{WORDS("--pairs", "/", "/bin/true"), "is a directory"},
		{WORDS("--pairs", "empty", "/bin/true"), "empty:1:1: the file contains no pair"},
		{WORDS("--pairs", "comment", "/bin/true"), "comment:1:1: the file contains no pair"},
		{WORDS("--pairs", "/bin/true", "/bin/true"), "/bin/true:1:"},
		{WORDS("--pairs", "zero", "/bin/true"), "zero:1:4: byte 0x00"},
		{WORDS("--pairs", "one", "/bin/true"), "one:2:8: the second statement is missing"},
		{WORDS("--pairs", "bad", "/bin/true"), "bad:1:8: 'here' is not a statement"},
		{WORDS("--pairs", "noprog"), "no program given, and 'noprog' has no program line"},
		{WORDS("--pairs", "lost"), "no such program"},
		/* only known after a run; --quiet does not hide the error */
		{WORDS("--pairs", "noprog", "--quiet", "/bin/true"), "noprog:1:1: "},
	};
	char *folder = spawn_folder();

	spawn_file(folder, "empty", "", 0, 0644);
	spawn_file(folder, "comment", "# nothing\n", 10, 0644);
	spawn_file(folder, "zero", "a:1\0b:2\n", 8, 0644);
	spawn_file(folder, "one", "a.c:1 b.c:2\n  a.c:1\n", 20, 0644);
	spawn_file(folder, "bad", "a.c:10 here\n", 12, 0644);
	spawn_file(folder, "noprog", "a.c:1 b.c:2\n", 12, 0644);
	spawn_file(folder, "lost", "program: ./nosuch\na.c:1 b.c:2\n", 30, 0644);
	REFUSED(cases, folder);
	spawn_folder_remove(folder);
}

Test(bad_input, output_folders)
{
	const struct bad cases[] = {
		{WORDS("-o", "no/parent", "/bin/true"), "cannot create the output directory 'no/parent'"},
		{WORDS("-o", "file/x", "/bin/true"), "cannot create the output directory 'file/x'"},
		{WORDS("-o", "file", "/bin/true"), "cannot open the output directory 'file'"},
		{WORDS("-o", "/proc/x", "/bin/true"), "cannot create the output directory '/proc/x'"},
		{WORDS("-o", "/proc", "/bin/true"), "cannot write to the output directory '/proc'"},
		{WORDS("-o", "", "/bin/true"), "--output: the name is empty"},
	};
	char *folder = spawn_folder();

	spawn_file(folder, "file", "", 0, 0644);
	REFUSED(cases, folder);
	spawn_folder_remove(folder);
}

/* A Go program is not refused. rfsup controls its threads, but cannot see goroutines within one thread. */
Test(bad_input, a_go_program_gets_a_word_about_goroutines)
{
	static const char about[] = "is a Go program";
	struct e2e e2e;
	char command[1024], *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", program, "none"));
	e2e_expect(&e2e, !strstr(e2e.said.err, about), "%s", e2e.said.err);
	snprintf(command, sizeof(command), "objcopy --add-section .note.go.buildid=/etc/passwd %s", program);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", program, "none"));
	e2e_expect_status(&e2e, 4);
	e2e_expect(&e2e, strstr(e2e.said.err, about), "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}

/*
 * --module matches the program and its libraries by their names, with or without the folder. A pattern that matches
 * nothing is reported.
 */
Test(bad_input, a_module_that_is_not_there_is_said)
{
	static const struct {
		const char *pattern;
		bool there;
	} rows[] = {
		{"--module=libc.so*", true},  {"--module=/*/libc.so.6", true}, {"--module=inputs", true},
		{"--module=libc-so*", false}, {"--module=libc", false},
	};
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *line;

		e2e_run(&e2e, WORDS("--policy=random", "--runs=2", rows[i].pattern, program, "none"));
		e2e_expect_status(&e2e, 4);
		line = strstr(e2e.said.err, "no run loaded a library that matches");
		e2e_expect(&e2e, !line == rows[i].there, "%s: %s", rows[i].pattern, e2e.said.err);
		e2e_expect(&e2e, !line || !strstr(line + 1, "no run loaded a library that matches"), "told twice: %s",
			   e2e.said.err);
	}
	e2e_end(&e2e);
	free(program);
}

Test(bad_input, a_full_standard_output_is_said)
{
	static const char *const words[] = {"--help", "--version", "--list-policies"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct spawned run;

		spawn_rfsup(WORDS(words[i]), NULL, "/dev/full", &run);
		cr_expect_eq(run.status, 2, "%s", words[i]);
		cr_expect_str_eq(run.err, "rfsup: cannot write to standard output: No space left on device\n");
		spawned_release(&run);
	}
}

Test(bad_input, what_is_asked_about_rfsup_goes_to_standard_output)
{
	static const char *const words[] = {"--help", "--usage", "--version", "--list-policies"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct spawned run;

		spawn_rfsup(WORDS(words[i]), NULL, NULL, &run);
		cr_expect_eq(run.status, 0, "%s", words[i]);
		cr_expect_neq(run.out[0], '\0', "%s", words[i]);
		cr_expect_str_eq(run.err, "", "%s", words[i]);
		spawned_release(&run);
	}
}
