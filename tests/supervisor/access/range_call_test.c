/* range_call_test.c - what calls of mem*, str* and free access, for given registers and memory. */
#include "supervisor/access/calls/range_call.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

TestSuite(range_call, .timeout = 20);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The test's memory. Any other address is unreadable. */
#define MEMORY 0x1000
#define MEMORY_SIZE 256
#define HELLO (MEMORY + 0)
#define HELP (MEMORY + 16)
#define LOUD (MEMORY + 32) /* HELLO in other letters */
#define NUMBER (MEMORY + 48)
#define LONG (MEMORY + 60) /* a string that continues in the next chunk of 64 bytes */
#define CUT (MEMORY + 250) /* a string without end: memory ends first */

static bool read_memory(void *arg, rfs_addr address, void *buf, size_t n)
{
	char memory[MEMORY_SIZE] = {0};

	(void)arg;
	strcpy(memory, "hello");
	strcpy(memory + 16, "help");
	strcpy(memory + 32, "HeLLo");
	strcpy(memory + 48, " -123x4");
	strcpy(memory + 60, "abcdefgh");
	memset(memory + 250, 'x', 6);
	if (address < MEMORY || n > MEMORY_SIZE || address - MEMORY > MEMORY_SIZE - n)
		return false;
	memcpy(buf, memory + (address - MEMORY), n);
	return true;
}

static bool look(const char *callee, uint64_t rdi, uint64_t rsi, uint64_t rdx, struct rfs_range_call *out)
{
	const struct user_regs_struct regs = {.rdi = rdi, .rsi = rsi, .rdx = rdx};
	const struct rfs_range_reader reader = {read_memory, NULL};

	return rfs_range_call_look(callee, &regs, false, &reader, out);
}

Test(range_call, ranges)
{
	static const struct {
		const char *callee;
		uint64_t rdi, rsi, rdx;
		enum rfs_range_shape shape;
		struct rfs_touched_range range[3]; /* size 0 ends the list, except for FREE */
		uint64_t result;
	} cases[] = {
		{"memcpy",
		 0x5000,
		 0x6000,
		 8,
		 RFS_RANGE_COPY,
		 {{0x6000, 8, false, false}, {0x5000, 8, true, false}},
		 0x5000},
		{"mempcpy",
		 0x5000,
		 0x6000,
		 8,
		 RFS_RANGE_COPY,
		 {{0x6000, 8, false, false}, {0x5000, 8, true, false}},
		 0x5008},
		{"memset", 0x5000, 0x141, 8, RFS_RANGE_FILL, {{0x5000, 8, true, false}}, 0x5000},
		{"bzero", 0x5000, 8, 99, RFS_RANGE_TOUCH, {{0x5000, 8, true, false}}, 0},
		{"memcmp",
		 0x5000,
		 0x6000,
		 8,
		 RFS_RANGE_TOUCH,
		 {{0x5000, 8, false, false}, {0x6000, 8, false, false}},
		 0},
		{"memchr", HELLO, 'l', 8, RFS_RANGE_TOUCH, {{HELLO, 3, false, false}}, 0},
		{"memchr", HELLO, 'x', 8, RFS_RANGE_TOUCH, {{HELLO, 8, false, false}}, 0},
		{"rawmemchr", HELLO, 'o', 0, RFS_RANGE_TOUCH, {{HELLO, 5, false, false}}, 0},
		{"memrchr", HELLO, 'l', 5, RFS_RANGE_TOUCH, {{HELLO + 3, 2, false, false}}, 0},
		{"strchr", HELLO, 'e', 0, RFS_RANGE_TOUCH, {{HELLO, 2, false, false}}, 0},
		{"strchrnul", HELLO, 'x', 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}}, 0},
		{"fputs", HELLO, 0, 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}}, 0},
		{"fwrite", 0x5000, 4, 3, RFS_RANGE_TOUCH, {{0x5000, 12, false, false}}, 0},
		{"write", 1, 0x5000, 9, RFS_RANGE_TOUCH, {{0x5000, 9, false, false}}, 0},
		{"read", 1, 0x5000, 9, RFS_RANGE_TOUCH, {{0x5000, 9, true, true}}, 0},
		{"strncat",
		 HELLO,
		 HELP,
		 2,
		 RFS_RANGE_TOUCH,
		 {{HELP, 2, false, false}, {HELLO, 6, false, false}, {HELLO + 5, 3, true, false}},
		 0},
		{"strncat",
		 HELLO,
		 HELP,
		 9,
		 RFS_RANGE_TOUCH,
		 {{HELP, 5, false, false}, {HELLO, 6, false, false}, {HELLO + 5, 5, true, false}},
		 0},
		{"strlen", HELLO, 0, 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}}, 0},
		{"strlen", LONG, 0, 0, RFS_RANGE_TOUCH, {{LONG, 9, false, false}}, 0},
		{"strnlen", HELLO, 3, 0, RFS_RANGE_TOUCH, {{HELLO, 3, false, false}}, 0},
		{"strnlen", HELLO, 30, 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}}, 0},
		{"strnlen", CUT, 6, 0, RFS_RANGE_TOUCH, {{CUT, 6, false, false}}, 0},
		{"strcmp", HELLO, HELP, 0, RFS_RANGE_TOUCH, {{HELLO, 4, false, false}, {HELP, 4, false, false}}, 0},
		{"strcmp", HELLO, HELLO, 2, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}, {HELLO, 6, false, false}}, 0},
		{"strcasecmp", HELLO, LOUD, 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}, {LOUD, 6, false, false}}, 0},
		{"strncasecmp",
		 HELLO,
		 LOUD,
		 3,
		 RFS_RANGE_TOUCH,
		 {{HELLO, 3, false, false}, {LOUD, 3, false, false}},
		 0},
		{"strcasecmp", HELP, LOUD, 0, RFS_RANGE_TOUCH, {{HELP, 4, false, false}, {LOUD, 4, false, false}}, 0},
		{"atoi", NUMBER, 0, 0, RFS_RANGE_TOUCH, {{NUMBER, 6, false, false}}, 0},
		{"strtol", HELLO, 0, 10, RFS_RANGE_TOUCH, {{HELLO, 1, false, false}}, 0},
		{"qsort", 0x5000, 4, 8, RFS_RANGE_TOUCH, {{0x5000, 32, true, false}}, 0},
		{"clock_gettime", 1, 0x5000, 0, RFS_RANGE_TOUCH, {{0x5000, 16, true, false}}, 0},
		{"rand_r", 0x5000, 0, 0, RFS_RANGE_TOUCH, {{0x5000, 4, true, false}}, 0},
		{"erand48", 0x5000, 0, 0, RFS_RANGE_TOUCH, {{0x5000, 6, true, false}}, 0},
		{"gmtime_r", 0x5000, 0x6000, 0, RFS_RANGE_TOUCH, {{0x6000, sizeof(struct tm), true, false}}, 0},
		{"pread", 1, 0x5000, 9, RFS_RANGE_TOUCH, {{0x5000, 9, true, true}}, 0},
		{"strncmp", HELLO, HELP, 2, RFS_RANGE_TOUCH, {{HELLO, 2, false, false}, {HELP, 2, false, false}}, 0},
		{"strcpy",
		 0x5000,
		 HELLO,
		 0,
		 RFS_RANGE_COPY,
		 {{HELLO, 6, false, false}, {0x5000, 6, true, false}},
		 0x5000},
		{"stpcpy", 0x5000, HELLO, 0, RFS_RANGE_TOUCH, {{HELLO, 6, false, false}, {0x5000, 6, true, false}}, 0},
		/* strncpy() fills the rest with zeros */
		{"strncpy",
		 0x5000,
		 HELLO,
		 10,
		 RFS_RANGE_TOUCH,
		 {{HELLO, 6, false, false}, {0x5000, 10, true, false}},
		 0},
		{"strncpy", 0x5000, HELLO, 3, RFS_RANGE_TOUCH, {{HELLO, 3, false, false}, {0x5000, 3, true, false}}, 0},
		/* strcat() writes from the NUL of the first string on */
		{"strcat",
		 HELLO,
		 HELP,
		 0,
		 RFS_RANGE_TOUCH,
		 {{HELP, 5, false, false}, {HELLO, 6, false, false}, {HELLO + 5, 5, true, false}},
		 0},
		{"free", 0x5000, 0, 0, RFS_RANGE_FREE, {{0x5000, 0, true, false}}, 0},
		{"_ZdlPvm", 0x5000, 16, 0, RFS_RANGE_FREE, {{0x5000, 0, true, false}}, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rfs_range_call call;
		size_t n = 1;

		while (n < COUNT(cases[i].range) && cases[i].range[n].size)
			n++;
		cr_assert(rfs_range_call_known(cases[i].callee), "%s", cases[i].callee);
		cr_assert(look(cases[i].callee, cases[i].rdi, cases[i].rsi, cases[i].rdx, &call), "%s",
			  cases[i].callee);
		cr_expect_eq(call.shape, cases[i].shape, "case %zu: %s", i, cases[i].callee);
		cr_assert_eq(call.n, n, "case %zu: %s", i, cases[i].callee);
		for (size_t k = 0; k < n; k++) {
			const struct rfs_touched_range *got = &call.range[k], *want = &cases[i].range[k];

			cr_expect(got->address == want->address && got->size == want->size && got->write == want->write,
				  "case %zu: %s: range %zu is 0x%llx, %llu bytes, %s", i, cases[i].callee, k,
				  (unsigned long long)got->address, (unsigned long long)got->size,
				  got->write ? "written" : "read");
		}
		if (call.shape == RFS_RANGE_COPY || call.shape == RFS_RANGE_FILL)
			cr_expect_eq(call.result, cases[i].result, "case %zu: %s", i, cases[i].callee);
		if (call.shape == RFS_RANGE_FILL)
			cr_expect_eq(call.fill, (unsigned char)cases[i].rsi, "case %zu: %s", i, cases[i].callee);
	}
}

Test(range_call, nothing_is_touched)
{
	static const struct {
		const char *callee;
		uint64_t rdi, rsi, rdx;
	} cases[] = {
		{"memcpy", 0x5000, 0x6000, 0}, {"strnlen", HELLO, 0, 0},  {"strlen", CUT, 0, 0}, {"strlen", 0x10, 0, 0},
		{"strcat", CUT, HELP, 0},      {"strcmp", 0x10, HELP, 0}, {"free", 0, 0, 0},	 {"qsort", HELLO, 0, 0},
		{"", HELLO, HELP, 8},
	};
	struct rfs_range_call call;

	for (size_t i = 0; i < COUNT(cases); i++)
		cr_expect_not(look(cases[i].callee, cases[i].rdi, cases[i].rsi, cases[i].rdx, &call), "case %zu: '%s'",
			      i, cases[i].callee);
	cr_expect_not(rfs_range_call_known("bsearch"));
}

/* The operands that a stub records are those that rfsup reads from the registers at a stop. */
Test(range_call, recorded_as_looked_at)
{
	static const struct {
		const char *callee;
		bool recorded;
	} cases[] = {
		{"memcpy", true},   {"__memcpy_chk", true}, {"memmove", true}, {"mempcpy", true}, {"memset", true},
		{"bzero", true},    {"memcmp", true},	    {"bcmp", true},    {"memchr", false}, {"write", true},
		{"strlen", false},  {"strnlen", false},	    {"strcmp", false}, {"strcpy", false}, {"stpcpy", false},
		{"strncpy", false}, {"strcat", false},	    {"printf", false}, {"read", false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rfs_code_site site = {.kind = RFS_CODE_CALL, .callee = cases[i].callee};
		struct rfs_stub_call recorded;
		struct rfs_range_call looked;
		uint64_t count;

		cr_expect_eq(rfs_range_call_recorded(&site, &recorded), cases[i].recorded, "%s", site.callee);
		if (!cases[i].recorded)
			continue;
		cr_assert(look(site.callee, 0x5000, 0x6000, 0x7000, &looked));
		cr_assert_eq(recorded.n, looked.n + 1, "%s", site.callee);
		cr_expect_eq(recorded.argument[0].kind, RFS_OPERAND_COUNT, "%s", site.callee);
		count = recorded.argument[0].reg == RFS_RDX ? 0x7000 : 0x6000;
		for (size_t k = 0; k < looked.n; k++) {
			cr_expect_eq(recorded.argument[k + 1].kind, RFS_OPERAND_RANGE, "%s", site.callee);
			cr_expect_eq(recorded.argument[k + 1].reg == RFS_RDI ? 0x5000 : 0x6000, looked.range[k].address,
				     "%s", site.callee);
			cr_expect_eq(recorded.argument[k + 1].flags,
				     looked.range[k].write ? RFS_MEM_WRITE : RFS_MEM_READ, "%s", site.callee);
			cr_expect_eq(looked.range[k].size, count, "%s", site.callee);
		}
	}
}

Test(range_call, what_is_freed_is_recorded)
{
	static const char *const callees[] = {"free", "_ZdlPv", "_ZdaPvm", "_ZdlPvmSt11align_val_t"};

	for (size_t i = 0; i < COUNT(callees); i++) {
		const struct rfs_code_site site = {.kind = RFS_CODE_CALL, .callee = callees[i]};
		struct rfs_stub_call recorded;

		cr_assert(rfs_range_call_recorded(&site, &recorded), "%s", callees[i]);
		cr_expect(recorded.n == 1 && recorded.argument[0].kind == RFS_OPERAND_BLOCK &&
				  recorded.argument[0].reg == RFS_RDI && recorded.argument[0].flags == RFS_MEM_WRITE,
			  "%s", callees[i]);
	}
}

Test(range_call, what_is_resized_is_recorded)
{
	const struct rfs_code_site site = {.kind = RFS_CODE_CALL, .callee = "realloc"};
	struct rfs_stub_call recorded;
	struct rfs_range_call looked;

	cr_assert(rfs_range_call_recorded(&site, &recorded));
	cr_expect(recorded.n == 1 && recorded.argument[0].kind == RFS_OPERAND_RESIZED &&
		  recorded.argument[0].reg == RFS_RDI && recorded.argument[0].flags == RFS_MEM_WRITE);
	cr_assert(look("realloc", 0x5000, 100, 0, &looked));
	cr_expect(looked.shape == RFS_RANGE_RESIZE && looked.n == 1 && looked.range[0].address == 0x5000);
	cr_expect_not(look("realloc", 0, 100, 0, &looked), "there is no block yet");
}

/* Functions that are not thread-safe also access data of the library. */
Test(range_call, data_of_the_library)
{
	static const struct {
		const char *callee;
		uint64_t rdi, rsi, rdx;
		size_t ranges, uses;
		struct rfs_library_use use[RFS_LIBRARY_USES_MOST];
	} cases[] = {
		{"strtok", 0, HELLO, 0, 0, 1, {{"strtok", 0, true}}},
		{"gmtime", 0x5000, 0, 0, 0, 1, {{"localtime", 0, true}}},
		{"ctime", 0x5000, 0, 0, 0, 2, {{"localtime", 0, true}, {"asctime", 0, true}}},
		{"getenv", HELLO, 0, 0, 0, 1, {{"setenv", 0, false}}},
		{"unsetenv", HELLO, 0, 0, 0, 1, {{"setenv", 0, true}}},
		{"setlocale", 0, HELLO, 0, 0, 1, {{"setlocale", 0, true}}},
		{"setlocale", 0, 0, 0, 0, 1, {{"setlocale", 0, false}}},
		{"tmpnam", 0, 0, 0, 0, 1, {{"tmpnam", 0, true}}},
		{"lrand48", 0, 0, 0, 0, 2, {{"drand48", 0, true}, {"erand48", 0, false}}},
		{"seed48", 0x5000, 0, 0, 0, 2, {{"drand48", 0, true}, {"erand48", 0, true}}},
		/* the caller keeps the number */
		{"nrand48", 0x5000, 0, 0, 1, 1, {{"erand48", 0, false}}},
		/* a stream or a folder is its own object */
		{"fputs", HELLO, 0x5000, 0, 1, 1, {{NULL, 0x5000, false}}},
		{"fclose", 0x5000, 0, 0, 0, 1, {{NULL, 0x5000, true}}},
		{"readdir", 0x5000, 0, 0, 0, 1, {{NULL, 0x5000, true}}},
		/* of these, nothing else is known */
		{"strlen", HELLO, 0, 0, 1, 0, {{NULL, 0, false}}},
	};
	struct rfs_range_call call;

	for (size_t i = 0; i < COUNT(cases); i++) {
		cr_assert(look(cases[i].callee, cases[i].rdi, cases[i].rsi, cases[i].rdx, &call), "case %zu", i);
		cr_expect(call.n == cases[i].ranges && call.n_uses == cases[i].uses, "case %zu: %zu and %zu", i, call.n,
			  call.n_uses);
		for (size_t k = 0; k < call.n_uses && k < cases[i].uses; k++) {
			const struct rfs_library_use *got = &call.use[k], *want = &cases[i].use[k];

			cr_expect(!got->function == !want->function &&
					  (!got->function || strcmp(got->function, want->function) == 0) &&
					  got->object == want->object && got->write == want->write,
				  "case %zu, use %zu", i, k);
		}
	}
	cr_expect_not(look("tmpnam", 0x5000, 0, 0, &call), "it has a buffer of its caller");
	cr_expect_not(look("time", 0, 0, 0, &call), "it only returns the time");
	cr_expect_not(look("fflush", 0, 0, 0, &call), "it is for all streams");
	cr_expect_not(look("strtok_r", HELLO, 0x5000, 0, &call), "it is thread-safe");
}
