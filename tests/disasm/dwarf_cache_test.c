/* dwarf_cache_test.c - tables of debug information that are kept in files are those that are read. */
#include "disasm/dwarf/dwarf.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/disasm/dwarf_program.h"

TestSuite(dwarf_cache, .timeout = 120);

/* The strings make the debug information large enough to be kept. */
static char *large_source(int functions)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	for (int i = 0; i < functions; i++)
		fprintf(out,
			"int a_long_name_of_a_function_that_makes_the_debug_information_large_%d(int x)\n{ return x + "
			"%d; }\n",
			i, i);
	fprintf(out, "int main(void) { return 0; }\n");
	fclose(out);
	return text;
}

/* The number of kept files. The path of the last one goes to path if that is not NULL. */
static int kept(const struct program *program, char *path, size_t n)
{
	char folder[192];
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/cache/rfsup", program->dir);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		if (path)
			snprintf(path, n, "%s/%s", folder, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return count;
}

static void begin(struct program *program)
{
	char folder[128];

	program_init(program);
	snprintf(folder, sizeof(folder), "%s/cache", program->dir);
	cr_assert_eq(setenv("XDG_CACHE_HOME", folder, 1), 0);
}

static void expect_line(const struct program *program, const struct rfs_dwarf *dwarf)
{
	struct rfs_line line;

	cr_assert(rfs_dwarf_line(dwarf, program_symbol(program, "main", NULL), &line));
	cr_expect_eq(line.line, 8001);
}

/* Expects that main of the program lies in this function. */
static void expect_function(const struct program *program, const struct rfs_dwarf *dwarf, const char *name)
{
	struct rfs_frame frame;

	cr_assert_eq(rfs_dwarf_frames(dwarf, program_symbol(program, "main", NULL), &frame, 1), 1);
	cr_expect_str_eq(frame.function, name);
}

static struct rfs_dwarf *open_again(const struct program *program)
{
	struct rfs_dwarf *dwarf;
	char why[256];

	cr_assert_eq(rfs_dwarf_open(program->path, &dwarf, why, sizeof(why)), 0, "%s", why);
	cr_expect_str_empty(why);
	return dwarf;
}

/* The tables of a program are put in the place of those of its next version. Whoever reads the file has the old line.
 */
Test(dwarf_cache, tables_are_read_from_the_file)
{
	char *source = large_source(4000), *next = large_source(3999), path[512], old[512];
	struct program program;
	struct rfs_dwarf *dwarf;
	struct stat st;

	begin(&program);
	program_build(&program, "gcc", "-g", "program.c", source);
	expect_line(&program, program.dwarf);
	cr_assert_eq(kept(&program, path, sizeof(path)), 1);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
	dwarf = open_again(&program);
	expect_line(&program, dwarf);
	rfs_dwarf_free(dwarf);
	cr_expect_eq(kept(&program, NULL, 0), 1);

	snprintf(old, sizeof(old), "%s/old", program.dir);
	cr_assert_eq(rename(path, old), 0);
	rfs_dwarf_free(program.dwarf);
	program_build(&program, "gcc", "-g", "program.c", next);
	expect_function(&program, program.dwarf, "main");
	cr_assert_eq(kept(&program, path, sizeof(path)), 1);
	cr_assert_eq(rename(old, path), 0);
	dwarf = open_again(&program);
	expect_function(&program, dwarf, "a_long_name_of_a_function_that_makes_the_debug_information_large_3999");
	rfs_dwarf_free(dwarf);
	program_release(&program);
	free(source);
	free(next);
}

Test(dwarf_cache, a_damaged_file_is_not_used)
{
	static const char junk[] = "junk";
	char *source = large_source(4000), path[512];
	struct program program;
	struct rfs_dwarf *dwarf;
	struct stat st;
	int fd;

	begin(&program);
	program_build(&program, "gcc", "-g", "program.c", source);
	cr_assert_eq(kept(&program, path, sizeof(path)), 1);
	for (int way = 0; way < 3; way++) {
		cr_assert_eq(stat(path, &st), 0);
		fd = open(path, O_RDWR);
		cr_assert(fd >= 0);
		if (way == 0)
			cr_assert_eq(pwrite(fd, junk, 4, st.st_size / 2), 4);
		else
			cr_assert_eq(ftruncate(fd, way == 1 ? st.st_size / 2 : 3), 0);
		close(fd);
		dwarf = open_again(&program);
		expect_line(&program, dwarf);
		rfs_dwarf_free(dwarf);
	}
	cr_expect_eq(kept(&program, NULL, 0), 1, "the damaged file was replaced");
	program_release(&program);
	free(source);
}

Test(dwarf_cache, small_programs_and_unusable_folders_have_none)
{
	static const char *const folders[] = {"/dev/null/x", "relative", ""};
	char *source = large_source(4000);
	struct program program;
	struct rfs_dwarf *dwarf;

	begin(&program);
	program_build(&program, "gcc", "-g", "small.c", "int main(void) { return 0; }\n");
	cr_expect_eq(kept(&program, NULL, 0), 0);
	rfs_dwarf_free(program.dwarf);
	unsetenv("HOME");
	setenv("XDG_CACHE_HOME", folders[0], 1);
	program_build(&program, "gcc", "-g", "program.c", source);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		setenv("XDG_CACHE_HOME", folders[i], 1);
		dwarf = open_again(&program);
		expect_line(&program, dwarf);
		rfs_dwarf_free(dwarf);
	}
	cr_expect_eq(kept(&program, NULL, 0), 0);
	program_release(&program);
	free(source);
}
