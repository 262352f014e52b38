/*
 * elf_test.c - rfs_elf_*() on Debian's stripped binaries, on small programs linked in several ways, on bad files, and
 * on thousands of damaged copies of one file.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "source.h"

TestSuite(elf, .timeout = 120);

static struct rfs_elf *open_elf(const char *path)
{
	struct rfs_elf *elf = NULL;
	char why[256];

	cr_assert(rfs_elf_open(path, &elf, why, sizeof(why)) == 0, "%s", why);
	cr_assert(rfs_elf_warning(elf) == NULL, "%s", rfs_elf_warning(elf));
	return elf;
}

/*
 * Checks that functions are sorted, do not overlap, and are in executable segments, and that rfs_elf_function_at()
 * finds each by its first and last byte. Returns how many there are.
 */
static size_t check_functions(const struct rfs_elf *elf)
{
	const struct rfs_function *functions;
	size_t n = rfs_elf_functions(elf, &functions);

	for (size_t i = 0; i < n; i++) {
		cr_assert(functions[i].start < functions[i].end);
		cr_assert(i == 0 || functions[i - 1].end <= functions[i].start);
		cr_assert(rfs_elf_function_at(elf, functions[i].start) == &functions[i]);
		cr_assert(rfs_elf_function_at(elf, functions[i].end - 1) == &functions[i]);
	}
	return n;
}

struct names {
	const struct rfs_elf *elf;
	const char *(*lookup)(const struct rfs_elf *elf, rfs_addr vaddr);
};

/* Whether lookup() returns `name` for an address in a segment that is executable (or not, as `exec` says). */
static bool names_some(const struct names *names, bool exec, const char *name)
{
	const struct rfs_segment *segments;
	size_t n = rfs_elf_segments(names->elf, &segments);

	for (size_t i = 0; i < n; i++) {
		for (uint64_t k = 0; segments[i].exec == exec && k < segments[i].memsz; k++) {
			const char *got = names->lookup(names->elf, segments[i].vaddr + k);

			if (got && !strcmp(got, name))
				return true;
		}
	}
	return false;
}

static bool plt_has(const struct rfs_elf *elf, const char *name)
{
	return names_some(&(struct names){elf, rfs_elf_plt_name}, true, name);
}

static bool slot_has(const struct rfs_elf *elf, const char *name)
{
	return names_some(&(struct names){elf, rfs_elf_slot_name}, false, name);
}

Test(elf, stripped_binaries_of_debian)
{
	static const struct {
		const char *path, *import;
		size_t functions; /* the file has at least so many */
	} files[] = {
		{"/usr/bin/pigz", "pthread_create", 100},
		{"/usr/bin/xz", "lzma_code", 100},
		{"/usr/bin/zstd", "pthread_create", 900},
		{"/lib/x86_64-linux-gnu/libz.so.1", "memcpy", 100},
		{"/lib/x86_64-linux-gnu/libbz2.so.1.0", "malloc", 40},
		{"/lib/x86_64-linux-gnu/liblzma.so.5", "pthread_create", 300},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct rfs_elf *elf;

		if (access(files[i].path, R_OK) != 0) {
			fprintf(stderr, "elf: %s is not installed\n", files[i].path);
			continue;
		}
		elf = open_elf(files[i].path);
		cr_expect(check_functions(elf) >= files[i].functions, "%s", files[i].path);
		cr_expect(plt_has(elf, files[i].import), "%s has no PLT entry of %s", files[i].path, files[i].import);
		cr_expect(slot_has(elf, files[i].import), "%s has no slot of %s", files[i].path, files[i].import);
		cr_expect(strlen(rfs_elf_build_id(elf)) == 40);
		cr_expect(rfs_elf_position_independent(elf) && rfs_elf_dynamic(elf) != 0);
		rfs_elf_free(elf);
	}
}

static void count_defaults(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	(void)vaddr, (void)size, (void)type;
	cr_assert(!strchr(name, '@'));
	if (!strcmp(name, "memcpy"))
		++*(unsigned *)arg;
}

Test(elf, symbols_of_libc)
{
	struct rfs_elf *elf = open_elf("/lib/x86_64-linux-gnu/libc.so.6");
	unsigned versions = 0;
	rfs_addr vaddr = 0;
	uint64_t size = 0, offset = 99;
	char *const *needed;

	cr_assert(rfs_elf_symbol(elf, "pthread_mutex_lock", &vaddr, &size) && size > 0);
	cr_expect(!strcmp(rfs_elf_function_at(elf, vaddr + 1)->name, "pthread_mutex_lock"));
	cr_expect(rfs_elf_symbol(elf, "environ", &vaddr, &size) && size == 8);
	cr_assert(rfs_elf_object_at(elf, vaddr + 3, &offset) != NULL);
	cr_expect(offset == 3 && !strcmp(rfs_elf_object_at(elf, vaddr + 3, &offset), "environ"));
	cr_expect(!rfs_elf_symbol(elf, "no such symbol", &vaddr, &size));
	cr_expect(!strcmp(rfs_elf_soname(elf), "libc.so.6"));
	cr_assert_eq(rfs_elf_needed(elf, &needed), 1);
	cr_expect_str_eq(needed[0], "ld-linux-x86-64.so.2");
	rfs_elf_each_symbol(elf, count_defaults, &versions);
	cr_expect(versions == 2, "memcpy has two versions, not %u", versions);
	cr_expect(check_functions(elf) > 3000);
	rfs_elf_free(elf);
}

static const char program[] =
	"#include <pthread.h>\n#include <string.h>\n#include <stdlib.h>\n"
	"int shared[10]; __thread int own;\n"
	"__attribute__((noinline)) static void *work(void *p) { shared[own] = strlen(p); return p; }\n"
	"int main(int c, char **v) { pthread_t t; char *b = malloc(c);\n"
	"memcpy(b, v[0], c); return pthread_create(&t, NULL, work, b); }\n";

Test(elf, ways_to_link)
{
	static const struct {
		const char *options;
		bool stub, position_independent;
	} ways[] = {
		{"-O2 -fno-builtin", true, true},
		{"-O2 -fno-builtin -no-pie", true, false},
		{"-O2 -fno-builtin -Wl,-z,now", true, true},
		{"-O2 -fno-builtin -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt", true, true},
		{"-O2 -fno-builtin -Wl,-z,now -fcf-protection -Wl,-z,ibtplt", true, true},
		{"-O2 -fno-builtin -fno-plt", false, true},
		{"-O2 -fno-builtin -s", true, true},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *path = source_build(program, ways[i].options);
		struct rfs_elf *elf = open_elf(path);

		cr_expect(plt_has(elf, "pthread_create") == ways[i].stub, "%s", ways[i].options);
		cr_expect(slot_has(elf, "pthread_create"), "%s", ways[i].options);
		cr_expect(slot_has(elf, "memcpy"), "%s", ways[i].options);
		cr_expect(rfs_elf_position_independent(elf) == ways[i].position_independent, "%s", ways[i].options);
		cr_expect(!strcmp(rfs_elf_interpreter(elf), "/lib64/ld-linux-x86-64.so.2"));
		cr_expect(rfs_elf_function_at(elf, rfs_elf_entry(elf)) != NULL, "%s", ways[i].options);
		cr_expect(check_functions(elf) > 0);
		rfs_elf_free(elf);
		source_remove(path);
	}
}

Test(elf, go_is_told_by_its_sections)
{
	static const char *const sections[] = {".note.go.buildid", ".gopclntab", ".data.rel.ro.gopclntab"};
	char command[1024], *path = source_build(program, "-O2");
	struct rfs_elf *elf = open_elf(path);

	cr_expect(!rfs_elf_is_go(elf));
	rfs_elf_free(elf);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		snprintf(command, sizeof(command), "objcopy --add-section %s=%s %s %s.go && strip -s %s.go",
			 sections[i], __FILE__, path, path, path);
		cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
		snprintf(command, sizeof(command), "%s.go", path);
		elf = open_elf(command);
		cr_expect(rfs_elf_is_go(elf), "%s", sections[i]);
		rfs_elf_free(elf);
		unlink(command);
	}
	source_remove(path);
}

Test(elf, static_program)
{
	char *path = source_build(program, "-O2 -fno-builtin -static");
	struct rfs_elf *elf = open_elf(path);
	rfs_addr vaddr;
	uint64_t size, offset;

	cr_expect(rfs_elf_interpreter(elf) == NULL && rfs_elf_dynamic(elf) == 0);
	cr_expect(plt_has(elf, "memcpy"), "the stub of an IFUNC");
	cr_expect(slot_has(elf, "strlen"));
	cr_assert(rfs_elf_symbol(elf, "shared", &vaddr, &size) && size == 40);
	cr_expect(!strcmp(rfs_elf_object_at(elf, vaddr + 36, &offset), "shared") && offset == 36);
	cr_assert(rfs_elf_symbol(elf, "work", &vaddr, &size));
	cr_expect(!strcmp(rfs_elf_function_at(elf, vaddr)->name, "work"));
	cr_expect(!rfs_elf_in_plt(elf, vaddr));
	rfs_elf_free(elf);
	source_remove(path);
}

/* The copy of a variable of a library may begin where the linker marks the end of the data. */
Test(elf, a_variable_goes_before_a_mark_at_its_address)
{
	char *path = source_build("#include <sys/single_threaded.h>\nint main(void) { return __libc_single_threaded; }",
				  "-O2 -no-pie -fno-pie");
	struct rfs_elf *elf = open_elf(path);
	rfs_addr vaddr, mark;
	uint64_t offset;
	const char *name;

	cr_assert(rfs_elf_symbol(elf, "__libc_single_threaded", &vaddr, NULL));
	cr_assert(rfs_elf_symbol(elf, "__TMC_END__", &mark, NULL) && mark == vaddr,
		  "the linker lays it out in another way");
	name = rfs_elf_object_at(elf, vaddr, &offset);
	cr_expect(name && !strcmp(name, "__libc_single_threaded") && offset == 0, "%s", name ? name : "none");
	rfs_elf_free(elf);
	source_remove(path);
}

Test(elf, reads_the_image)
{
	char *path = source_build("char data[4] = \"abc\"; char zero[5000]; int main(void) { return data[0]; }", "-O2");
	struct rfs_elf *elf = open_elf(path);
	char bytes[8] = "xxxxxxx";
	rfs_addr vaddr;

	cr_assert(rfs_elf_symbol(elf, "data", &vaddr, NULL));
	cr_expect(rfs_elf_read(elf, vaddr, bytes, 4) == 4 && !strcmp(bytes, "abc"));
	cr_assert(rfs_elf_symbol(elf, "zero", &vaddr, NULL));
	cr_expect(rfs_elf_read(elf, vaddr + 4096, bytes, 8) == 8 && !memcmp(bytes, "\0\0\0\0\0\0\0\0", 8));
	cr_expect(rfs_elf_read(elf, 0x7fffffff0000, bytes, 8) == 0);
	cr_expect(rfs_elf_read(elf, UINT64_MAX - 3, bytes, 8) == 0);
	rfs_elf_free(elf);
	source_remove(path);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	char *bytes;

	cr_assert(file && fstat(fileno(file), &status) == 0);
	*n = (size_t)status.st_size;
	bytes = malloc(*n);
	cr_assert(bytes && fread(bytes, 1, *n, file) == *n);
	fclose(file);
	return bytes;
}

static void expect_refusal(const char *path, int result, const char *part)
{
	struct rfs_elf *elf = NULL;
	char why[256] = "";
	int got = rfs_elf_open(path, &elf, why, sizeof(why));

	cr_expect(got == result, "%s: %d, not %d", path, got, result);
	cr_expect(strstr(why, part), "%s: '%s' does not say '%s'", path, why, part);
}

Test(elf, bad_files)
{
	char *path = source_build("int main(void) { return 0; }", "-O2");
	size_t n;
	char *good = read_file(path, &n), *bad = malloc(n);

	expect_refusal("/no/such/file", -ENOENT, "No such file");
	expect_refusal("/tmp", -EISDIR, "directory");
	expect_refusal("/dev/null", -ENOEXEC, "regular file");
	write_file(path, "#!/bin/sh\n", 10);
	expect_refusal(path, -ENOEXEC, "not an ELF file");
	write_file(path, "", 0);
	expect_refusal(path, -ENOEXEC, "not an ELF file");
	write_file(path, good, 10);
	expect_refusal(path, -ENOEXEC, "truncated");
	write_file(path, good, 40);
	expect_refusal(path, -ENOEXEC, "truncated");
	write_file(path, good, 100);
	expect_refusal(path, -ENOEXEC, "truncated");
	write_file(path, good, n / 4);
	expect_refusal(path, -ENOEXEC, "truncated");
	memcpy(bad, good, n);
	bad[4] = 1;
	write_file(path, bad, n);
	expect_refusal(path, -ENOEXEC, "32-bit");
	memcpy(bad, good, n);
	bad[18] = (char)183;
	write_file(path, bad, n);
	expect_refusal(path, -ENOEXEC, "another architecture");
	memcpy(bad, good, n);
	bad[16] = 1;
	write_file(path, bad, n);
	expect_refusal(path, -ENOEXEC, "object file");
	memcpy(bad, good, n);
	memset(bad + 56, 0, 2);
	write_file(path, bad, n);
	expect_refusal(path, -ENOEXEC, "program headers");
	free(good);
	free(bad);
	source_remove(path);
}

Test(elf, damaged_tables_are_no_error)
{
	char *path = source_build(program, "-O2");
	size_t n;
	char *bytes = read_file(path, &n), why[256];
	struct rfs_elf *elf;

	memset(bytes + 40, 0xff, 6); /* the offset of the section headers */
	write_file(path, bytes, n);
	cr_assert(rfs_elf_open(path, &elf, why, sizeof(why)) == 0, "%s", why);
	cr_expect(check_functions(elf) > 0, "the frames are found without sections");
	rfs_elf_free(elf);
	free(bytes);
	source_remove(path);
}

static void touch_symbol(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	(void)size, (void)type;
	*(uint64_t *)arg += strlen(name) + vaddr;
}

/* Makes all queries that a damaged file could lead astray. */
static void exercise(const char *path)
{
	const struct rfs_segment *segments;
	struct rfs_elf *elf;
	uint64_t sum = 0, offset;
	char why[256], bytes[64];
	size_t n;

	if (rfs_elf_open(path, &elf, why, sizeof(why)) != 0) {
		cr_assert(*why);
		return;
	}
	check_functions(elf);
	rfs_elf_each_symbol(elf, touch_symbol, &sum);
	n = rfs_elf_segments(elf, &segments);
	for (size_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < segments[i].memsz && k < 8192; k += 8) {
			rfs_addr vaddr = segments[i].vaddr + k;
			const char *names[] = {rfs_elf_plt_name(elf, vaddr), rfs_elf_slot_name(elf, vaddr),
					       rfs_elf_object_at(elf, vaddr, &offset)};

			for (unsigned j = 0; j < 3; j++)
				sum += names[j] ? strlen(names[j]) : 0;
			sum += rfs_elf_read(elf, vaddr, bytes, sizeof(bytes));
		}
	}
	sum += rfs_elf_soname(elf) ? strlen(rfs_elf_soname(elf)) : 0;
	rfs_elf_free(elf);
}

Test(elf, random_damage)
{
	char *path = source_build(program, "-O2");
	size_t n;
	char *good = read_file(path, &n), *bad = malloc(n);
	uint64_t state = 42;

	for (unsigned round = 0; round < 4000; round++) {
		size_t length = n;

		memcpy(bad, good, n);
		for (unsigned k = 0; k < 1 + round % 16; k++) {
			uint64_t where;

			state = state * 6364136223846793005 + 1442695040888963407; /* Knuth, MMIX */
			/* damage in the headers, in the section headers at the end, or anywhere */
			where = (state >> 33) % (round % 3 == 0 ? 1024 : round % 3 == 1 ? 2048 : n);
			if (round % 3 == 1)
				where = n - 1 - where;
			bad[where] = round % 5 == 0 ? (char)0xff : (char)(state >> 24);
		}
		if (round % 11 == 0)
			length = (state >> 30) % n;
		write_file(path, bad, length);
		exercise(path);
	}
	free(good);
	free(bad);
	source_remove(path);
}
