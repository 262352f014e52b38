/* format_call_test.c - what calls of printf and scanf access, for given registers and memory. */
#include "supervisor/access/calls/format_call.h"

#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/access/calls/range_call.h"

TestSuite(format_call, .timeout = 20);

/* The test's memory: strings of 32 bytes each. Any other address is unreadable. */
#define MEMORY 0x1000
#define TEXT(i) (MEMORY + 32 * (uint64_t)(i))
static const char *const texts[] = {"%s-%d", "%.3s%s", "%f %s",	      "%d %s",	 "hello",
				    "x%%y",  "%*d %d", "%d %[a-z]%n", "%3s %9s", ""};

static bool read_memory(void *arg, rfs_addr address, void *buf, size_t n)
{
	char memory[32 * sizeof(texts) / sizeof(*texts)] = {0};

	(void)arg;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		strcpy(memory + 32 * i, texts[i]);
	if (address < MEMORY || n > sizeof(memory) || address - MEMORY > sizeof(memory) - n)
		return false;
	memcpy(buf, memory + (address - MEMORY), n);
	return true;
}

Test(format_call, ranges)
{
	static const struct {
		const char *callee;
		uint64_t a[5];
		int64_t result; /* -2: the ranges are those at the call */
		struct rfs_touched_range range[4];
	} cases[] = {
		{"printf", {TEXT(0), TEXT(4), 5}, -2, {{TEXT(4), 6, false, false}}},
		{"fprintf",
		 {0, TEXT(1), TEXT(4), TEXT(4)},
		 -2,
		 {{TEXT(4), 3, false, false}, {TEXT(4), 6, false, false}}},
		{"printf", {TEXT(2), TEXT(4)}, -2, {{TEXT(4), 6, false, false}}},
		{"printf", {TEXT(5)}, -2, {{0}}},
		/* "hello-5" has at least 7 characters */
		{"sprintf", {0x9000, TEXT(0), TEXT(4), 5}, -2, {{TEXT(4), 6, false, false}, {0x9000, 8, true, true}}},
		{"snprintf",
		 {0x9000, 4, TEXT(0), TEXT(4), 5},
		 -2,
		 {{TEXT(4), 6, false, false}, {0x9000, 4, true, true}}},
		{"snprintf", {0x9000, 4, TEXT(0), TEXT(4), 5}, 7, {{0x9000, 4, true, false}}},
		{"snprintf", {0x9000, 40, TEXT(0), TEXT(4), 5}, 7, {{0x9000, 8, true, false}}},
		{"snprintf", {0, 0, TEXT(0), TEXT(4), 5}, 7, {{0}}},
		{"scanf", {TEXT(3), 0x9000, TEXT(4)}, -2, {{0x9000, 4, true, true}, {TEXT(4), 2, true, true}}},
		{"scanf", {TEXT(3), 0x9000, TEXT(4)}, 2, {{0x9000, 4, true, false}, {TEXT(4), 6, true, false}}},
		{"scanf", {TEXT(3), 0x9000, TEXT(4)}, 1, {{0x9000, 4, true, false}}},
		{"scanf", {TEXT(3), 0x9000, TEXT(4)}, -1, {{0}}},
		{"scanf", {TEXT(6), 0x9000}, 1, {{0x9000, 4, true, false}}},
		{"sscanf",
		 {TEXT(4), TEXT(7), 0x9000, TEXT(4), 0x9800},
		 -2,
		 {{TEXT(4), 6, false, false},
		  {0x9000, 4, true, true},
		  {TEXT(4), 6, true, true},
		  {0x9800, 4, true, true}}},
		/* what %s may store is limited by its width and by what is read */
		{"fscanf", {0, TEXT(8), 0x9000, 0x9800}, -2, {{0x9000, 4, true, true}, {0x9800, 10, true, true}}},
		{"sscanf",
		 {TEXT(4), TEXT(8), 0x9000, 0x9800},
		 -2,
		 {{TEXT(4), 6, false, false}, {0x9000, 4, true, true}, {0x9800, 6, true, true}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint64_t *a = cases[i].a;
		const struct user_regs_struct regs = {.rdi = a[0], .rsi = a[1], .rdx = a[2], .rcx = a[3], .r8 = a[4]};
		const struct rfs_range_reader reader = {read_memory, NULL};
		struct rfs_range_call call = {0};
		size_t n = 0;

		while (n < 4 && cases[i].range[n].size)
			n++;
		cr_assert(rfs_format_call_known(cases[i].callee));
		if (cases[i].result == -2)
			rfs_format_call_look(cases[i].callee, &regs, false, &reader, &call);
		else
			rfs_format_call_result(cases[i].callee, &regs, false, (uint64_t)cases[i].result, &reader,
					       &call);
		cr_assert_eq(call.n, n, "case %zu: %zu ranges", i, call.n);
		for (size_t k = 0; k < n; k++) {
			const struct rfs_touched_range *got = &call.range[k], *want = &cases[i].range[k];

			cr_expect(got->address == want->address && got->size == want->size &&
					  got->write == want->write && got->late == want->late,
				  "case %zu: range %zu is 0x%llx, %llu bytes", i, k, (unsigned long long)got->address,
				  (unsigned long long)got->size);
		}
	}
}
