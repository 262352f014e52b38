/* op_text_test.c - the words for operations and accesses in reports. */
#include "supervisor/base/text/op_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(op_text, .timeout = 30);

#define R RFS_ACCESS_READ
#define W RFS_ACCESS_WRITE
#define A RFS_ACCESS_ATOMIC

Test(op_text, accesses)
{
	static const struct {
		unsigned access;
		const char *noun, *verb, *step, *command;
	} rows[] = {
		{0, "access", "accesses", "writes", "write"},
		{R, "read", "reads", "reads", "read"},
		{W, "write", "writes", "writes", "write"},
		{R | W, "read-write", "reads and writes", "updates", "update"},
		{A | R, "atomic read", "atomically reads", "atomically reads", "read"},
		{A | W, "atomic write", "atomically writes", "atomically writes", "write"},
		{A | R | W, "atomic read-write", "atomically updates", "atomically updates", "update"},
		{W | RFS_ACCESS_FLUSH, "end of a delay", "makes visible", "makes visible", "make visible"},
		{W | A | RFS_ACCESS_FLUSH, "end of all delays", "makes all writes visible, first",
		 "makes all writes visible, first", "make all visible, first"},
		/* the other flags have no words */
		{R | RFS_ACCESS_RMW | RFS_ACCESS_RANGE | RFS_ACCESS_ALIGNED_MOVE, "read", "reads", "reads", "read"},
		{W | RFS_ACCESS_RANGE | RFS_ACCESS_FREE, "free", "frees", "frees", "free"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_str_eq(rfs_access_text(rows[i].access, RFS_ACCESS_NOUN), rows[i].noun, "row %zu", i);
		cr_expect_str_eq(rfs_access_text(rows[i].access, RFS_ACCESS_VERB), rows[i].verb, "row %zu", i);
		cr_expect_str_eq(rfs_access_text(rows[i].access, RFS_ACCESS_STEP), rows[i].step, "row %zu", i);
		cr_expect_str_eq(rfs_access_text(rows[i].access, RFS_ACCESS_COMMAND), rows[i].command, "row %zu", i);
	}
}

Test(op_text, operations)
{
	static const struct {
		enum rfs_op_kind kind;
		unsigned access;
		const char *object, *text;
	} rows[] = {
		{RFS_OP_LOCK, 0, "L", "lock L"},
		{RFS_OP_TRYLOCK, 0, "L", "trylock L"},
		{RFS_OP_TRYLOCK, RFS_ACCESS_WRITE, "L", "begins wrlock L"},
		{RFS_OP_COND_WAIT, 0, "queue.ready", "cond-wait queue.ready"},
		{RFS_OP_EXIT, 0, NULL, "exit"},
		{RFS_OP_SYSCALL, 0, "", "syscall"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = rfs_op_text(rows[i].kind, rows[i].access, rows[i].object);

		cr_expect_str_eq(text, rows[i].text, "row %zu", i);
		free(text);
	}
}
