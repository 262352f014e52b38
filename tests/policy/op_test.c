/* op_test.c - classes and names of operations, and which two operations race. */
#include "policy/core/op.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(op, .timeout = 30);

Test(op, each_kind_has_a_name_of_its_own)
{
	for (int i = 0; i < RFS_OP_COUNT; i++) {
		cr_expect_not_null(rfs_op_name((enum rfs_op_kind)i), "kind %d", i);
		for (int k = 0; k < i; k++)
			cr_expect(strcmp(rfs_op_name((enum rfs_op_kind)i), rfs_op_name((enum rfs_op_kind)k)) != 0,
				  "kinds %d and %d", i, k);
	}
	cr_expect_str_eq(rfs_op_name(RFS_OP_COND_WAIT), "cond-wait");
	cr_expect_str_eq(rfs_op_name(RFS_OP_COUNT), "?");
	cr_expect_str_eq(rfs_op_name((enum rfs_op_kind) - 1), "?");
}

Test(op, kinds)
{
	for (int i = 0; i < RFS_OP_COUNT; i++) {
		bool access = i == RFS_OP_ACCESS || i == RFS_OP_SPIN_READ;

		cr_expect_eq(rfs_op_is_access((enum rfs_op_kind)i), access, "kind %d", i);
		cr_expect_eq(rfs_op_is_instruction((enum rfs_op_kind)i), access || i == RFS_OP_YIELD, "kind %d", i);
	}
}

#define R RFS_ACCESS_READ
#define W RFS_ACCESS_WRITE
#define A RFS_ACCESS_ATOMIC
#define OP(kind_, access_, statements_, object_, size_)                                                                \
	{                                                                                                              \
		.kind = (kind_), .access = (access_), .statements = (statements_), .object = (object_),                \
		.size = (size_)                                                                                        \
	}

Test(op, races)
{
	static const struct {
		struct rfs_op a, b;
		bool race;
	} rows[] = {
		{OP(RFS_OP_ACCESS, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 100, 4), true},
		{OP(RFS_OP_ACCESS, R, 1, 100, 4), OP(RFS_OP_ACCESS, W, 2, 100, 4), true},
		{OP(RFS_OP_SPIN_READ, R, 1, 100, 4), OP(RFS_OP_ACCESS, W, 2, 100, 4), true},
		{OP(RFS_OP_ACCESS, W, 3, 100, 4), OP(RFS_OP_ACCESS, W, 3, 100, 4), true}, /* the same statement twice */
		/* no write */
		{OP(RFS_OP_ACCESS, R, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 100, 4), false},
		/* both atomic, then only one */
		{OP(RFS_OP_ACCESS, W | A, 1, 100, 4), OP(RFS_OP_ACCESS, R | A, 2, 100, 4), false},
		{OP(RFS_OP_ACCESS, W | A, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 100, 4), true},
		/* one of the two is not at its statement of the pair */
		{OP(RFS_OP_ACCESS, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 1, 100, 4), false},
		{OP(RFS_OP_ACCESS, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 0, 100, 4), false},
		/* overlap in one byte, then adjacent without overlap */
		{OP(RFS_OP_ACCESS, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 103, 1), true},
		{OP(RFS_OP_ACCESS, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 104, 1), false},
		{OP(RFS_OP_ACCESS, W, 1, 104, 1), OP(RFS_OP_ACCESS, R, 2, 100, 4), false},
		/* at the end of memory: no overflow to address 0 */
		{OP(RFS_OP_ACCESS, W, 1, UINT64_MAX - 7, 8), OP(RFS_OP_ACCESS, R, 2, UINT64_MAX, 1), true},
		{OP(RFS_OP_ACCESS, W, 1, UINT64_MAX - 7, 8), OP(RFS_OP_ACCESS, R, 2, 0, 8), false},
		/* a free writes to the whole block */
		{OP(RFS_OP_ACCESS, RFS_ACCESS_FREE, 1, 64, 64), OP(RFS_OP_ACCESS, R, 2, 100, 4), true},
		/* a lock is not an access */
		{OP(RFS_OP_LOCK, W, 1, 100, 4), OP(RFS_OP_ACCESS, R, 2, 100, 4), false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(rfs_ops_race(&rows[i].a, &rows[i].b), rows[i].race, "row %zu", i);
		cr_expect_eq(rfs_ops_race(&rows[i].b, &rows[i].a), rows[i].race, "row %zu, swapped", i);
	}
}
