/* holds_test.c - which methods lock, unlock and wait with a lock, by their names. */
#include "supervisor/generate/library/holds.h"

#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/generate/library/library.h"
#include "tests/supervisor/generate/thing.h"

TestSuite(holds, .timeout = 60);

static const struct rfs_use *hold_use(const struct thing *thing, const char *type, size_t function)
{
	const struct rfs_library_type *row = thing_type(thing, type);
	size_t i = 0;

	while (i < row->n_uses && row->uses[i].function != function)
		i++;
	cr_assert_lt(i, row->n_uses);
	return &row->uses[i];
}

Test(holds, names_tell_which_calls_belong_together)
{
	static const struct {
		const char *type, *function;
		enum rfs_hold hold;
		const char *closer;
	} rows[] = {
		{"struct gate", "gate_lock", RFS_HOLD_OPENS, "gate_unlock"},
		{"struct gate", "gate_try_lock", RFS_HOLD_TRIES, "gate_unlock"},
		{"struct gate", "gate_unlock", RFS_HOLD_CLOSES, NULL},
		{"struct gate", "gate_rdlock", RFS_HOLD_OPENS, "gate_unlock"},
		{"struct gate", "gate_timedrdlock", RFS_HOLD_TRIES, "gate_unlock"},
		{"struct gate", "GateEnter", RFS_HOLD_OPENS, "GateLeave"},
		{"struct gate", "GateLeave", RFS_HOLD_CLOSES, NULL},
		{"struct gate", "gate_acquire", RFS_HOLD_OPENS, "gate_release"},
		{"struct gate", "gate_release", RFS_HOLD_CLOSES, NULL},
		/* its argument is not one of gate_enter() */
		{"struct gate", "gate_enter", RFS_HOLD_NONE, NULL},
		{"struct gate", "gate_leave", RFS_HOLD_NONE, NULL},
		{"struct gate", "gate_entries", RFS_HOLD_NONE, NULL},
		/* each of them may be a call of its own */
		{"struct gate", "gate_begin", RFS_HOLD_NONE, NULL},
		{"struct gate", "gate_end", RFS_HOLD_NONE, NULL},
		{"struct queue", "queue_timedwait", RFS_HOLD_NEEDS, NULL},
		{"struct gate", "queue_timedwait", RFS_HOLD_NEEDS, NULL},
		{"struct queue", "queue_use", RFS_HOLD_NONE, NULL},
		{"struct queue", "queue_wait", RFS_HOLD_NONE, NULL},
	};
	struct thing thing;

	thing_make(&thing);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rfs_use *use = hold_use(&thing, rows[i].type, thing_function(&thing, rows[i].function));

		cr_expect_eq(use->hold, rows[i].hold, "%s: %d", rows[i].function, use->hold);
		cr_expect_eq(use->role, RFS_ROLE_METHOD, "%s: %d", rows[i].function, use->role);
		if (rows[i].closer)
			cr_expect_eq(use->closer, thing_function(&thing, rows[i].closer), "%s", rows[i].function);
		if (use->hold == RFS_HOLD_NEEDS)
			cr_expect_eq(use->lock, 1);
	}
	thing_release(&thing);
}
