/* lock_calls.c - which mutex calls stubs record, and what a stub tests before it records one. */
#include "supervisor/access/lock_calls.h"

#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

static const struct rfs_code_entry calls[] = {{"pthread_mutex_lock", false, NULL},
					      {"pthread_mutex_unlock", false, NULL}};

size_t rfs_lock_calls(const struct rfs_code_entry **out)
{
	*out = calls;
	return sizeof(calls) / sizeof(*calls);
}

/* Offsets in struct __pthread_mutex_s, as in supervisor/model/layout.h. */
#define AT_LOCK 0
#define AT_COUNT 4
#define AT_OWNER 8
#define AT_KIND 16
#define KIND_RECURSIVE 1u
#define LOCK_FREE 0
#define LOCK_HELD 1 /* held, and no thread sleeps for it */

/* The test that the mutex is normal or recursive, and not shared with other processes. */
#define SIMPLE                                                                                                         \
	{                                                                                                              \
		.kind = RFS_TEST_WORD, .reg = RFS_RDI, .offset = AT_KIND, .mask = ~KIND_RECURSIVE                      \
	}

static const struct rfs_stub_test lock_tests[] = {
	SIMPLE,
	{.kind = RFS_TEST_WORD, .reg = RFS_RDI, .offset = AT_LOCK, .mask = ~0u, .value = LOCK_FREE},
};
/* The test of AT_COUNT accepts 0 and 1: a normal mutex has count 0, a recursive one has count 1 at its last unlock. */
static const struct rfs_stub_test unlock_tests[] = {
	SIMPLE,
	{.kind = RFS_TEST_WORD, .reg = RFS_RDI, .offset = AT_LOCK, .mask = ~0u, .value = LOCK_HELD},
	{.kind = RFS_TEST_WORD, .reg = RFS_RDI, .offset = AT_COUNT, .mask = ~1u},
	{.kind = RFS_TEST_SELF, .reg = RFS_RDI, .offset = AT_OWNER, .mask = ~0u},
	{.kind = RFS_TEST_ONLY, .reg = RFS_RDI},
};

bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	const bool locks = strcmp(site->callee, "pthread_mutex_lock") == 0;
	const size_t size = locks ? sizeof(lock_tests) : sizeof(unlock_tests);

	*out = (struct rfs_stub_call){
		.n = 2,
		.argument = {{RFS_OPERAND_CALLER, RFS_MEM_WRITE, RFS_RSP},
			     {locks ? RFS_OPERAND_LOCKED : RFS_OPERAND_UNLOCKED, RFS_MEM_WRITE, RFS_RDI}},
		.n_tests = (uint8_t)(size / sizeof(*lock_tests)),
		.lent = locks ? RFS_LENT_LOCKS : RFS_LENT_UNLOCKS,
	};
	memcpy(out->test, locks ? lock_tests : unlock_tests, size);
	return true;
}
