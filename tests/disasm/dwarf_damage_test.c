/* dwarf_damage_test.c - debug information that is absent, in another file, or damaged. */
#include "disasm/dwarf/dwarf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/disasm/dwarf_program.h"

TestSuite(dwarf_damage, .timeout = 300);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char source[] =
	"struct node { int key; _Atomic int refs; struct node *next; } table[3];\n"
	"static inline __attribute__((always_inline)) int inner(int x) { return x + table[1].key; }\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	static int calls;\n"
	"	if (x < 0)\n"
	"		__builtin_abort();\n"
	"	calls++;\n"
	"	return inner(x) + inner(x + 1) + calls;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return outer(argc);\n"
	"}\n";

/* ---- absent debug information ---- */

static int try_open(const struct program *program)
{
	struct rfs_dwarf *dwarf = NULL;
	char why[256];
	int rc = rfs_dwarf_open(program->path, &dwarf, why, sizeof(why));

	cr_assert(!rc || why[0], "no reason given for %d", rc);
	rfs_dwarf_free(dwarf);
	return rc;
}

Test(dwarf_damage, absent)
{
	struct program program;

	program_init(&program);
	cr_assert_eq(try_open(&program), -ENOENT);
	program_write(&program, "program", "#!/bin/sh\n");
	cr_assert_eq(try_open(&program), -ENOEXEC);
	program_write(&program, "program", "");
	cr_assert_eq(try_open(&program), -ENOEXEC);
	program_write(&program, "program.c", source);
	cr_assert(program_run(&program, "gcc program.c -o program"));
	cr_assert_eq(try_open(&program), -ENODATA);
	cr_assert(program_run(&program, "rm program"));
	cr_assert(program_run(&program, "mkdir program"));
	cr_assert_eq(try_open(&program), -EISDIR);
	cr_assert(program_run(&program, "rmdir program"));
	cr_assert(program_run(&program, "mkfifo program"));
	cr_assert_eq(try_open(&program), -ENOEXEC);
	program_release(&program);
}

/* With split debug information, most of it is in .dwo files, which rfsup does not read. Lines are still found. */
Test(dwarf_damage, split)
{
	struct program program;
	struct rfs_line line;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g -gsplit-dwarf", "program.c", source));
	cr_assert(rfs_dwarf_line(program.dwarf, program_symbol(&program, "outer", NULL), &line));
	program_release(&program);
}

/* ---- debug information in another file ---- */

static bool knows_outer(struct program *program, rfs_addr outer)
{
	struct rfs_frame frame;

	program_open(program);
	return rfs_dwarf_frames(program->dwarf, outer, &frame, 1) == 1 && !strcmp(frame.function, "outer");
}

static rfs_addr build_stripped(struct program *program, const char *flags)
{
	char command[128];
	rfs_addr outer;

	program_init(program);
	program_write(program, "program.c", source);
	snprintf(command, sizeof(command), "gcc -g %s program.c -o program", flags);
	cr_assert(program_run(program, command));
	outer = program_symbol(program, "outer", NULL);
	cr_assert(program_run(program, "objcopy --only-keep-debug program program.debug"));
	cr_assert(program_run(program, "objcopy --strip-all --add-gnu-debuglink=program.debug program"));
	return outer;
}

Test(dwarf_damage, separate_by_link)
{
	static const char *const flags[] = {"-Wl,--build-id=sha1", "-Wl,--build-id=none"};

	for (size_t i = 0; i < COUNT(flags); i++) {
		struct program program;
		rfs_addr outer = build_stripped(&program, flags[i]);

		cr_assert(knows_outer(&program, outer), "%s", flags[i]);
		rfs_dwarf_free(program.dwarf);
		program.dwarf = NULL;
		cr_assert(program_run(&program, "mkdir .debug"));
		cr_assert(program_run(&program, "mv program.debug .debug/"));
		cr_assert(knows_outer(&program, outer), "%s", flags[i]);
		program_release(&program);
	}
}

/* A debug file that has the right name but belongs to another build is refused. */
Test(dwarf_damage, separate_of_another_build)
{
	static const char *const flags[] = {"-Wl,--build-id=sha1", "-Wl,--build-id=none"};

	for (size_t i = 0; i < COUNT(flags); i++) {
		struct program program;
		char command[128];

		(void)build_stripped(&program, flags[i]);
		snprintf(command, sizeof(command), "gcc -g -O2 %s program.c -o program.debug", flags[i]);
		cr_assert(program_run(&program, command));
		cr_assert_eq(try_open(&program), -ENODATA, "%s", flags[i]);
		program_release(&program);
	}
}

Test(dwarf_damage, separate_by_build_id)
{
	static const char folder[] = "/usr/lib/debug/.build-id/fe", file[] = "fedcba98765432100123456789abcdef";
	struct program program;
	char command[256];
	rfs_addr outer;
	bool known, made;

	if (access("/usr/lib/debug", W_OK) && access("/usr/lib", W_OK))
		cr_skip("needs the right to write below /usr/lib/debug");
	snprintf(command, sizeof(command), "-Wl,--build-id=0x%s", file);
	outer = build_stripped(&program, command);
	made = access(folder, F_OK) != 0;
	snprintf(command, sizeof(command), "mkdir -p %s", folder);
	cr_assert(program_run(&program, command));
	snprintf(command, sizeof(command), "mv program.debug %s/%s.debug", folder, file + 2);
	cr_assert(program_run(&program, command));
	known = knows_outer(&program, outer);
	snprintf(command, sizeof(command), "%s/%s.debug", folder, file + 2);
	cr_assert_eq(unlink(command), 0);
	if (made)
		(void)rmdir(folder);
	cr_assert(known);
	program_release(&program);
}

/* ---- damaged debug information ---- */

struct section {
	size_t offset, size;
};

static size_t debug_sections(const struct program *program, struct section *out, size_t max)
{
	int fd = open(program->path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	size_t n = 0, names;
	Elf *elf;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cr_assert_not_null(elf);
	cr_assert_eq(elf_getshdrstrndx(elf, &names), 0);
	while (n < max && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		cr_assert_not_null(gelf_getshdr(section, &header));
		if (strncmp(elf_strptr(elf, names, header.sh_name), ".debug_", 7) != 0 || !header.sh_size)
			continue;
		out[n].offset = header.sh_offset;
		out[n++].size = header.sh_size;
	}
	elf_end(elf);
	close(fd);
	return n;
}

static void ignore_range(void *arg, rfs_addr start, rfs_addr end)
{
	(void)arg;
	cr_assert_lt(start, end);
}

static bool is_not_it(void *arg, const char *name)
{
	(void)arg;
	return !name;
}

/* Makes every query for every address. Any answer is accepted: only a crash fails the test. */
static void ask_all(const struct rfs_dwarf *dwarf, rfs_addr start, rfs_addr end)
{
	for (rfs_addr at = start; at < end; at += 4) {
		struct rfs_frame frames[16];
		enum rfs_atomicity atomicity;
		struct rfs_line line;
		char name[128];

		if (rfs_dwarf_line(dwarf, at, &line) && at % 64 == 0)
			(void)rfs_dwarf_ranges(dwarf, line.file, line.line, ignore_range, NULL);
		for (size_t i = rfs_dwarf_frames(dwarf, at, frames, COUNT(frames)); i--;)
			cr_assert_gt(strlen(frames[i].function), 0);
		(void)rfs_dwarf_in_atomic(dwarf, at);
		(void)rfs_dwarf_tells_atomics(dwarf, at);
		cr_assert_not(rfs_dwarf_atomic_member(dwarf, at, 4, 4, false, is_not_it, NULL));
		if (rfs_dwarf_variable(dwarf, at, name, sizeof(name), &atomicity))
			cr_assert_lt(strlen(name), sizeof(name));
	}
}

/*
 * A small random generator with known state, so that a failing round can be repeated. It is POSIX's example of rand().
 */
static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

static void corrupt(const char *compiler, const char *flags, unsigned rounds)
{
	struct section sections[32];
	struct program program;
	char *good, *bad;
	struct stat st;
	size_t n;
	int fd;

	program_init(&program);
	if (!program_build(&program, compiler, flags, "program.c", source)) {
		program_release(&program);
		return;
	}
	n = debug_sections(&program, sections, COUNT(sections));
	cr_assert_gt(n, 0);
	fd = open(program.path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(fstat(fd, &st), 0);
	good = malloc((size_t)st.st_size);
	bad = malloc((size_t)st.st_size);
	cr_assert_eq(pread(fd, good, (size_t)st.st_size, 0), st.st_size);
	/* a quarter of the rounds in the short check */
	for (unsigned round = getenv("RFSUP_CHECK_FULL") ? 0 : rounds / 4 * 3; round < rounds; round++) {
		unsigned state = round;
		struct rfs_dwarf *dwarf;
		char why[256];
		int rc;

		memcpy(bad, good, (size_t)st.st_size);
		for (unsigned i = next_random(&state) % 8 + 1; i--;) {
			const struct section *section = &sections[next_random(&state) % n];
			char *byte = &bad[section->offset + next_random(&state) % section->size];

			*byte = next_random(&state) % 2 ? (char)next_random(&state)
							: (char)(*byte ^ 1 << next_random(&state) % 8);
		}
		cr_assert_eq(pwrite(fd, bad, (size_t)st.st_size, 0), st.st_size);
		rc = rfs_dwarf_open(program.path, &dwarf, why, sizeof(why));
		cr_assert(!rc || rc == -EBADMSG || rc == -ENODATA, "round %u: %d %s", round, rc, why);
		cr_assert(!rc || why[0]);
		if (rc)
			continue;
		ask_all(dwarf, 0, 0x6000);
		rfs_dwarf_free(dwarf);
	}
	free(good);
	free(bad);
	close(fd);
	program_release(&program);
}

Test(dwarf_damage, corrupt_dwarf5_of_gcc)
{
	corrupt("gcc", "-gdwarf-5 -O2", 2000);
}

Test(dwarf_damage, corrupt_dwarf5_of_clang)
{
	corrupt("clang", "-gdwarf-5 -O2", 1000);
}

Test(dwarf_damage, corrupt_dwarf4)
{
	corrupt("gcc", "-gdwarf-4 -O2", 1000);
}

Test(dwarf_damage, corrupt_dwarf2)
{
	corrupt("gcc", "-gdwarf-2 -O0", 1000);
}

Test(dwarf_damage, corrupt_compressed)
{
	corrupt("gcc", "-gdwarf-5 -gz -O2", 500);
}

/* A file that is cut off anywhere is refused. */
Test(dwarf_damage, truncated)
{
	struct program program;
	struct stat st;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g", "program.c", source));
	cr_assert_eq(stat(program.path, &st), 0);
	for (off_t size = st.st_size - 1; size > 0; size -= st.st_size / 200) {
		cr_assert_eq(truncate(program.path, size), 0);
		cr_assert_lt(try_open(&program), 0, "%ld bytes", (long)size);
	}
	program_release(&program);
}
