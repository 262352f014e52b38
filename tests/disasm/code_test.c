/*
 * code_test.c - the sites that rfs_code_scan() finds. Small functions have known sites. In Debian's binaries, each site
 * must be at an instruction that objdump shows.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/rewrite/code.h"
#include "source.h"

TestSuite(code, .timeout = 120);

/*
 * One row for each function. `sites` has a letter for each expected site, in order: A access, a atomic access, C call,
 * c atomic access that expects a constant, T tail call, P pause, R rdtsc.
 */
static const struct {
	const char *name, *body, *sites;
} rows[] = {
	/* the stack frame */
	{"private_frame", "sub $24,%rsp; mov %edi,4(%rsp); addl $1,4(%rsp); mov (%rsp,%rdi,4),%eax; add $24,%rsp; ret",
	 ""},
	{"red_zone", "mov %edi,-8(%rsp); mov -8(%rsp),%eax; ret", ""},
	{"escapes_by_lea", "sub $24,%rsp; mov %edi,4(%rsp); lea 4(%rsp),%rdi; call other@plt; add $24,%rsp; ret", "A"},
	{"escapes_by_narrow_lea", "mov %edi,4(%rsp); lea 4(%rsp),%eax; ret", "A"},
	{"escapes_by_copy", "mov %rsp,%rax; mov %edi,-8(%rsp); ret", "A"},
	{"escapes_by_push", "push %rsp; pop %rdi; mov %edi,-8(%rsp); ret", "A"},
	{"escapes_by_store", "mov %rsp,(%rdi); mov %edi,-8(%rsp); ret", "AA"},
	{"escapes_by_arithmetic", "mov %edi,-8(%rsp); mov $8,%eax; add %rsp,%rax; ret", "A"},
	{"escapes_later", "mov %edi,-8(%rsp); jmp 1f; 0: lea -8(%rsp),%rax; ret; 1: jmp 0b", "A"},
	{"stack_switched", "mov %rdi,%rsp; mov %esi,8(%rsp); ret", "A"},
	{"stack_compared", "cmp %rsp,%rdi; mov %edi,-8(%rsp); ret", ""},
	{"stack_aligned", "push %rbp; mov %rsp,%rbp; and $-32,%rsp; mov %edi,(%rsp); leave; ret", ""},
	{"variable_length", "push %rbp; mov %rsp,%rbp; sub %rdi,%rsp; mov %rsp,%rdi; mov %edi,-4(%rbp); leave; ret",
	 "A"},
	{"atomic_on_private_frame", "lock orl $0,(%rsp); ret", ""},
	{"atomic_on_shared_frame", "lea -8(%rsp),%rdi; lock incl -8(%rsp); xchg %eax,-8(%rsp); ret", "aa"},
	/* the frame pointer */
	{"frame_pointer", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); mov -4(%rbp),%eax; pop %rbp; ret", ""},
	{"frame_pointer_by_lea", "push %rbp; lea 64(%rsp),%rbp; mov %edi,-72(%rbp); pop %rbp; ret", ""},
	{"frame_pointer_by_enter", "enter $16,$0; mov %edi,-4(%rbp); leave; ret", ""},
	{"frame_pointer_escapes", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); lea -4(%rbp),%rdi; pop %rbp; ret", "A"},
	{"frame_pointer_copied", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); mov %rbp,%rdi; pop %rbp; ret", "A"},
	{"frame_pointer_as_index", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); mov (%rax,%rbp),%eax; pop %rbp; ret",
	 "AA"},
	{"rbp_in_general", "push %rbp; mov %rdi,%rbp; mov 8(%rbp),%eax; mov %eax,-16(%rsp); pop %rbp; ret", "A"},
	{"rbp_as_both", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); mov %rsi,%rbp; mov (%rbp),%eax; pop %rbp; ret",
	 "AA"},
	{"rbp_loaded", "push %rbp; mov (%rdi),%rbp; mov 8(%rbp),%eax; pop %rbp; ret", "AA"},
	{"rbp_to_vector", "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); vmovq %rbp,%xmm0; pop %rbp; ret", "A"},
	/* other memory */
	{"global", "mov counter(%rip),%eax; addl $1,counter(%rip); ret", "AA"},
	{"atomics", "lock incl (%rdi); xchg %eax,(%rdi); lock cmpxchg %ecx,(%rdi); cmpxchg %ecx,(%rdi); ret", "aaaA"},
	{"own_storage", "mov %fs:0x28,%rax; mov %fs:0xfffffffffffffff8,%eax; mov %fs:(%rdi),%eax; ret", "A"},
	{"names_only", "endbr64; lea (%rdi),%rax; nopw (%rdi); prefetcht0 (%rdi); clflush (%rdi); ret", ""},
	{"stack_operations", "push %rbx; push $1; pushf; popf; pop %rax; pop %rbx; ret", ""},
	{"push_of_memory", "push (%rdi); pop 8(%rsi); push 8(%rsp); pop %rax; ret", "AA"},
	{"strings", "rep movsb; stosl; lodsq; ret", "AAA"},
	{"vectors", "vmovdqu (%rdi),%ymm0; vmovdqu %ymm0,-32(%rsp); vpgatherdd %ymm2,(%rsp,%ymm1,4),%ymm0; ret", "AA"},
	{"spin", "0: pause; cmpl $0,(%rdi); jne 0b; rdtsc; rdtscp; ret", "PARR"},
	/* calls */
	{"calls", "call wanted@plt; call other@plt; ret", "C"},
	{"tail_call", "jmp wanted@plt", "T"},
	{"calls_by_slot", "call *wanted@GOTPCREL(%rip); call *other@GOTPCREL(%rip); jmp *wanted@GOTPCREL(%rip)", "CT"},
	{"calls_own", "call wanted_here; call other_here; call 0f; 0: ret", "C"},
	{"calls_alias", "call other_name; ret", "C"},
	{"calls_by_memory", "call *8(%rdi); call *%rax; jmp *8(%rdx,%rax,8)", "AA"},
	{"wanted_here", "ret", ""},
	{"other_here", "ret", ""},
	/* compare-exchange */
	{"expects_constant", "xor %eax,%eax; mov $1,%ecx; lock cmpxchg %ecx,(%rdi); ret", "c"},
	{"expects_constant_each_time", "0: mov $2,%eax; lock cmpxchg %ecx,(%rdi); jne 0b; ret", "c"},
	{"expects_constant_once", "xor %eax,%eax; 0: lock cmpxchg %ecx,(%rdi); jne 0b; ret", "a"},
	{"expects_constant_then_not", "xor %eax,%eax; lock cmpxchg %ecx,(%rdi); lock cmpxchg %ecx,(%rsi); ret", "ca"},
	{"expects_what_was_loaded", "mov (%rdi),%eax; lock cmpxchg %ecx,(%rdi); ret", "Aa"},
	{"expects_one_of_two", "xor %eax,%eax; test %esi,%esi; je 0f; mov %esi,%eax; 0: lock cmpxchg %ecx,(%rdi); ret",
	 "a"},
	{"expects_a_constant_sum", "mov $1,%eax; add %esi,%eax; lock cmpxchg %ecx,(%rdi); ret", "a"},
	{"expects_a_result", "xor %eax,%eax; call other@plt; lock cmpxchg %ecx,(%rdi); ret", "a"},
	{"expects_in_r8", "xor %r8d,%r8d; lock cmpxchg %ecx,(%rdi); ret", "a"},
	/* a tail call releases the frame */
	{"before_tail_call", "mov %edi,-8(%rsp); jmp escapes_by_lea", ""},
	/* a cold part, in a separate symbol, shares the frame */
	{"whole", "sub $24,%rsp; mov %edi,4(%rsp); test %edi,%edi; je part.cold; add $24,%rsp; ret", "A"},
	{"part.cold", "lea 4(%rsp),%rdi; call other@plt; mov %edi,8(%rsp)", "A"},
	{"quiet_whole", "sub $24,%rsp; mov %edi,4(%rsp); jmp quiet.cold; ret", ""},
	{"quiet.cold", "mov %edi,8(%rsp); ud2", ""},
};

static bool wanted(const char *name)
{
	return !strcmp(name, "wanted") || !strcmp(name, "wanted_here") || !strcmp(name, "alias_wanted");
}

static bool wanted_always(const char *name)
{
	(void)name;
	return true;
}

/* Puts all rows into the source of a shared library. Caller frees. */
static char *library_source(void)
{
	char *source = NULL;
	size_t size;
	FILE *out = open_memstream(&source, &size);

	fprintf(out, "__attribute__((visibility(\"hidden\"))) int counter;\n");
	fprintf(out, "__asm__(\".text\\n.globl other_name,alias_wanted\\n.hidden other_name,alias_wanted\\n.set "
		     "alias_wanted,other_name\\n"
		     ".type other_name,@function\\n.type alias_wanted,@function\\n"
		     "other_name: ret\\n.size other_name,1\\n\");\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		source_function(out, rows[i].name, rows[i].body);
	fclose(out);
	return source;
}

static char letter(const struct rfs_code_site *site)
{
	switch (site->kind) {
	case RFS_CODE_ACCESS:
		return site->expects_constant ? 'c' : site->atomic ? 'a' : 'A';
	case RFS_CODE_CALL:
		return site->tail ? 'T' : 'C';
	case RFS_CODE_PAUSE:
		return 'P';
	default:
		return 'R';
	}
}

static struct rfs_code *scan(const char *path, bool (*callee)(const char *name), struct rfs_elf **elf)
{
	struct rfs_decoder *decoder;
	struct rfs_code *code;
	char why[256];

	cr_assert(rfs_elf_open(path, elf, why, sizeof(why)) == 0, "%s", why);
	cr_assert(rfs_decoder_new(&decoder) == 0);
	cr_assert(rfs_code_scan(*elf, decoder, callee, &code) == 0);
	rfs_decoder_free(decoder);
	return code;
}

/* Writes the sites of one function to `out`, as the letters of the table above. */
static void sites_of(const struct rfs_elf *elf, const struct rfs_code *code, const char *name, char *out, size_t n)
{
	const struct rfs_code_site *sites;
	size_t count = rfs_code_sites(code, &sites), used = 0;
	rfs_addr start;
	uint64_t size;

	cr_assert(rfs_elf_symbol(elf, name, &start, &size), "%s", name);
	for (size_t i = 0; i < count; i++)
		if (sites[i].vaddr >= start && sites[i].vaddr < start + size && used + 1 < n)
			out[used++] = letter(&sites[i]);
	out[used] = '\0';
}

static void check_rows(const char *options, bool (*callee)(const char *name), bool calls)
{
	char *source = library_source(), *path = source_build(source, options);
	struct rfs_elf *elf;
	struct rfs_code *code = scan(path, callee, &elf);

	cr_expect(rfs_code_unknown(code) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char got[32], expected[32];
		size_t used = 0;

		for (const char *p = rows[i].sites; *p; p++)
			if (calls || (*p != 'C' && *p != 'T'))
				expected[used++] = *p;
		expected[used] = '\0';
		sites_of(elf, code, rows[i].name, got, sizeof(got));
		cr_expect(!strcmp(got, expected), "%s, %s: '%s', not '%s'", rows[i].name, options, got, expected);
	}
	rfs_code_free(code);
	rfs_elf_free(elf);
	source_remove(path);
	free(source);
}

static bool asks_twice(void *arg)
{
	return ++*(int *)arg == 2;
}

/* A sweep that is given up leaves nothing behind. If it is never told to give up, the result is the usual one. */
Test(code, a_sweep_can_be_given_up)
{
	struct rfs_decoder *decoder;
	struct rfs_code *code, *usual;
	const struct rfs_code_site *sites;
	struct rfs_elf *elf;
	int asked = 0;
	const struct rfs_code_stop stop = {asks_twice, &asked};

	usual = scan("/proc/self/exe", NULL, &elf);
	cr_assert(rfs_decoder_new(&decoder) == 0);
	cr_expect_eq(rfs_code_scan_until(elf, decoder, NULL, &stop, &code), -ECANCELED);
	cr_expect_eq(asked, 2);
	cr_assert_eq(rfs_code_scan_until(elf, decoder, NULL, &stop, &code), 0);
	cr_expect_eq(rfs_code_sites(code, &sites), rfs_code_sites(usual, &sites));
	rfs_code_free(code);
	rfs_code_free(usual);
	rfs_decoder_free(decoder);
	rfs_elf_free(elf);
}

Test(code, sites_of_known_functions)
{
	check_rows("-shared -nostdlib -fPIC -Wl,--no-relax", wanted, true);
	check_rows("-shared -nostdlib -fPIC -Wl,--no-relax -Wl,-z,now", wanted, true);
	check_rows("-shared -nostdlib -fPIC -Wl,--no-relax -Wl,-z,ibtplt", wanted, true);
	check_rows("-shared -nostdlib -fPIC -Wl,--no-relax", NULL, false);
}

/* rfs_code_scan() names the called function, for calls of every form. Sites are sorted by address. */
Test(code, callees_by_name)
{
	char *path = source_build("#include <string.h>\n#include <stdlib.h>\n#include <pthread.h>\n"
				  "pthread_mutex_t m;\nint main(int c, char **v) {\n"
				  "pthread_mutex_lock(&m); memcpy(v[0], v[1], c); pthread_mutex_unlock(&m);\n"
				  "free(v); return 0; }",
				  "-O1 -fno-builtin -static");
	static const char *const names[] = {"pthread_mutex_lock", "memcpy", "pthread_mutex_unlock", "free"};
	struct rfs_elf *elf;
	struct rfs_code *code = scan(path, wanted_always, &elf);
	const struct rfs_code_site *sites;
	size_t n = rfs_code_sites(code, &sites), next = 0;
	rfs_addr start;
	uint64_t size;

	cr_assert(rfs_elf_symbol(elf, "main", &start, &size));
	for (size_t i = 0; i < n; i++) {
		if (sites[i].vaddr < start || sites[i].vaddr >= start + size || sites[i].kind != RFS_CODE_CALL)
			continue;
		cr_assert(next < 4);
		cr_expect(!strcmp(sites[i].callee, names[next]), "%s, not %s", sites[i].callee, names[next]);
		next++;
	}
	cr_expect(next == 4);
	rfs_code_free(code);
	rfs_elf_free(elf);
	source_remove(path);
}

/* Marks where objdump sees instructions: one byte for each of the first `size` bytes of the file. Caller frees. */
static uint8_t *boundaries(const char *path, size_t size)
{
	uint8_t *marks = calloc(size, 1);
	char *command = NULL, *line = NULL;
	size_t room = 0;
	FILE *objdump;

	cr_assert(asprintf(&command, "objdump -d --no-show-raw-insn %s", path) > 0);
	objdump = popen(command, "r");
	cr_assert(objdump && marks);
	while (getline(&line, &room, objdump) > 0) {
		uint64_t vaddr;
		char colon;

		if (*line == ' ' && sscanf(line, "%" SCNx64 "%c", &vaddr, &colon) == 2 && colon == ':' && vaddr < size)
			marks[vaddr] = 1;
	}
	cr_assert(pclose(objdump) == 0);
	free(line);
	free(command);
	return marks;
}

Test(code, binaries_of_debian)
{
	static const char *const paths[] = {"/usr/bin/xz", "/usr/bin/pigz", "/lib/x86_64-linux-gnu/liblzma.so.5",
					    "/lib/x86_64-linux-gnu/libc.so.6"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct rfs_code_site *sites;
		size_t n, calls = 0, accesses = 0, highest;
		struct rfs_code *code;
		struct rfs_elf *elf;
		uint8_t *marks;

		if (access(paths[i], R_OK) != 0) {
			fprintf(stderr, "code: %s is not installed\n", paths[i]);
			continue;
		}
		code = scan(paths[i], wanted_always, &elf);
		n = rfs_code_sites(code, &sites);
		cr_assert(n > 0, "%s", paths[i]);
		highest = sites[n - 1].vaddr + 1;
		marks = boundaries(paths[i], highest);
		for (size_t k = 0; k < n; k++) {
			cr_assert(k == 0 || sites[k - 1].vaddr + sites[k - 1].length <= sites[k].vaddr);
			cr_expect(marks[sites[k].vaddr], "%s: %#lx is inside an instruction", paths[i],
				  (unsigned long)sites[k].vaddr);
			cr_expect(!rfs_elf_in_plt(elf, sites[k].vaddr));
			calls += sites[k].kind == RFS_CODE_CALL;
			accesses += sites[k].kind == RFS_CODE_ACCESS;
		}
		cr_expect(calls > 0 && accesses > 1000, "%s: %zu calls, %zu accesses", paths[i], calls, accesses);
		cr_expect(rfs_code_unknown(code) == 0, "%s: %zu", paths[i], rfs_code_unknown(code));
		free(marks);
		rfs_code_free(code);
		rfs_elf_free(elf);
	}
}

/*
 * Builds a program from `source` and calls rfs_code_scan_rare() on it. Caller frees *elf, and also *code if 0 is
 * returned.
 */
static int scan_rare(const char *source, struct rfs_elf **elf, struct rfs_code **code)
{
	char why[300], *path = source_build(source, "-nostdlib -static -Wl,-e,main");
	struct rfs_decoder *decoder;
	int result;

	cr_assert(rfs_elf_open(path, elf, why, sizeof(why)) == 0, "%s", why);
	cr_assert(rfs_decoder_new(&decoder) == 0);
	result = rfs_code_scan_rare(*elf, decoder, code);
	rfs_decoder_free(decoder);
	source_remove(path);
	return result;
}

Test(code, rare_instructions)
{
	static const char functions[] = "unsigned long main(void) { unsigned x; return __builtin_ia32_rdtsc() + "
					"__builtin_ia32_rdtscp(&x); }\n"
					"unsigned only_bytes(void) { return 0x0000310f; }\n"
					"unsigned long twice(void) { return __builtin_ia32_rdtsc() ^ "
					"__builtin_ia32_rdtsc(); }\n"
					"void asks(void) { unsigned a = 1, b, c = 0, d; __asm__(\"cpuid\" : "
					"\"+a\"(a), \"=b\"(b), \"+c\"(c), \"=d\"(d)); }\n"
					"unsigned only_cpuid_bytes(void) { return 0x0000a20f; }\n"
					"void sets_gs(long x) { __asm__(\"wrgsbase %0; wrgsbase %1; rdgsbase %0; "
					"sfence; ldmxcsr (%0)\" :: \"r\"(x), \"r\"((int)x)); }\n";
	static const struct {
		const char *function;
		enum rfs_code_kind kind;
	} expected[] = {{"main", RFS_CODE_RDTSC},      {"main", RFS_CODE_RDTSC}, {"twice", RFS_CODE_RDTSC},
			{"twice", RFS_CODE_RDTSC},     {"asks", RFS_CODE_CPUID}, {"sets_gs", RFS_CODE_WRGSBASE},
			{"sets_gs", RFS_CODE_WRGSBASE}};
	const struct rfs_code_site *sites;
	struct rfs_code *code;
	struct rfs_elf *elf;
	char source[1500];
	size_t n, hidden = 0;

	cr_assert_eq(scan_rare(functions, &elf, &code), 0);
	n = rfs_code_sites(code, &sites);
	cr_assert_eq(n, sizeof(expected) / sizeof(*expected), "%zu sites", n);
	for (size_t i = 0; i < n; i++) {
		const struct rfs_function *f = rfs_elf_function_at(elf, sites[i].vaddr);

		cr_expect(sites[i].kind == expected[i].kind && f && strcmp(f->name, expected[i].function) == 0,
			  "site %zu", i);
	}
	rfs_code_free(code);
	rfs_elf_free(elf);
	/* an rdtsc outside all functions, then one in a function whose code cannot be decoded */
	snprintf(source, sizeof(source), "%s__asm__(\".text; hidden: rdtsc; ret\");\n", functions);
	cr_expect_eq(scan_rare(source, &elf, &code), -ENOTSUP);
	rfs_elf_free(elf);
	snprintf(source, sizeof(source),
		 "%s__asm__(\".text; .type bad, @function; bad: .byte 6; rdtsc; ret; .size bad, . - bad\");\n",
		 functions);
	cr_expect_eq(scan_rare(source, &elf, &code), -ENOTSUP);
	rfs_elf_free(elf);
	/* bytes of cpuid in a function that cannot be decoded: what is in it is unknown, but all else is known */
	snprintf(source, sizeof(source),
		 "%s__asm__(\".text; .type bad, @function; bad: cpuid; .byte 6; cpuid; ret; .size bad, . - bad\");\n",
		 functions);
	cr_assert_eq(scan_rare(source, &elf, &code), 0);
	n = rfs_code_sites(code, &sites);
	for (size_t i = 0; i < n; i++)
		hidden += sites[i].kind == RFS_CODE_CPUID && !sites[i].length;
	cr_expect_eq(hidden, 2);
	cr_expect_eq(n, sizeof(expected) / sizeof(*expected) + hidden);
	rfs_code_free(code);
	rfs_elf_free(elf);
}

/* A file that describes no function is swept as a whole, and no access counts as private. */
Test(code, file_without_functions)
{
	char *path = source_build("__asm__(\".globl _start\\n_start: mov %edi,-8(%rsp); mov (%rdi),%eax; ud2\\n\");",
				  "-nostdlib -static -s -Wl,--build-id=none");
	struct rfs_elf *elf;
	struct rfs_code *code = scan(path, NULL, &elf);
	const struct rfs_code_site *sites;
	const struct rfs_function *functions;

	cr_assert(rfs_elf_functions(elf, &functions) == 0);
	cr_expect(rfs_code_sites(code, &sites) == 2);
	rfs_code_free(code);
	rfs_elf_free(elf);
	source_remove(path);
}

Test(code, bytes_that_are_no_instruction)
{
	char *path = source_build("__asm__(\".globl odd\\n.type odd,@function\\nodd: mov %edi,-8(%rsp); .byte 6,6,6;"
				  "mov (%rdi),%eax; ret\\n.size odd,.-odd\\n\");",
				  "-shared -nostdlib -fPIC");
	struct rfs_elf *elf;
	struct rfs_code *code = scan(path, NULL, &elf);
	const struct rfs_code_site *sites;

	cr_expect(rfs_code_unknown(code) == 1);
	cr_expect(rfs_code_sites(code, &sites) == 1, "the frame may escape in what cannot be read");
	rfs_code_free(code);
	rfs_elf_free(elf);
	source_remove(path);
}
