/* dpor_wake_test.c - what an execution of the exploration begins with. */
#include "policy/dpor/dpor_wake.h"

#include <criterion/criterion.h>

#include "policy/policy.h"

TestSuite(dpor_wake, .timeout = 20);

#define X 0x1000u
#define Y 0x2000u
#define Z 0x3000u

static struct rfs_dpor_next writes(int thread, rfs_addr address, bool kept)
{
	struct rfs_dpor_next next = {.kept = kept};

	next.choice.thread = thread;
	next.op = (struct rfs_op){
		.kind = RFS_OP_ACCESS, .access = RFS_ACCESS_WRITE, .peer = -1, .site = 1, .object = address, .size = 4};
	return next;
}

/* To reverse two operations, an execution begins with these and what they depend on. The rest is not remembered: the
 * tree of a long program would be too large. */
Test(dpor_wake, a_sequence_has_only_what_is_needed)
{
	static const struct {
		int thread;
		rfs_addr address;
		bool kept, needed;
	} steps[] = {
		{1, Z, false, false}, /* nothing depends on it */
		{2, X, false, true},  /* the write that is kept comes after it */
		{3, Y, false, true},  /* its thread goes on with the write that is kept */
		{4, Y, false, false}, {3, X, true, true}, {5, X, false, false}, /* comes later */
	};
	struct rfs_dpor_next sequence[6];
	struct rfs_dpor_wake tree = {0};
	const struct rfs_dpor_wake *at = &tree;

	for (size_t i = 0; i < 6; i++)
		sequence[i] = writes(steps[i].thread, steps[i].address, steps[i].kept);
	rfs_dpor_wake_chain(&tree, sequence, 6);
	for (size_t i = 0; i < 6; i++) {
		if (!steps[i].needed)
			continue;
		cr_assert_eq(at->n, 1, "step %zu", i);
		at = &at->then[0];
		cr_expect_eq(at->next.choice.thread, steps[i].thread, "step %zu", i);
	}
	cr_expect_eq(at->n, 0);
	rfs_dpor_wake_release(&tree);
}
