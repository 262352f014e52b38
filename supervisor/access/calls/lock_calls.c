/* lock_calls.c - which calls stubs record, and what a stub tests before it records one. */
#include "supervisor/access/calls/lock_calls.h"

#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

/* Offsets in struct __pthread_mutex_s, as in supervisor/model/layout.h. */
#define AT_LOCK 0
#define AT_COUNT 4
#define AT_OWNER 8
#define AT_KIND 16
#define KIND_RECURSIVE 1u
#define LOCK_FREE 0
#define LOCK_HELD 1 /* held, and no thread sleeps for it */

/* Offsets in struct __pthread_rwlock_arch_t. The first word counts readers in steps of 8, above these flags. */
#define AT_READERS 0
#define AT_WRITERS 4
#define AT_RW_SHARED 28
#define WRITE_PHASE 1u
#define WRITE_LOCKED 2u
#define READERS_WAIT 4u
/* Offsets in struct new_sem and struct __pthread_cond_s (sysdeps/nptl/internaltypes.h of the C library). */
#define AT_VALUE 0
#define AT_WAITERS 4
#define AT_PRIVATE 8
#define AT_COND_WREFS 36
#define COND_SHARED 1u
/* The word of a pthread_once_t, as in supervisor/model/once.c. */
#define AT_ONCE 0
#define ONCE_IN_PROGRESS 1u
#define ONCE_DONE 2u

#define WORD(at, bits, wanted)                                                                                         \
	{                                                                                                              \
		.kind = RFS_TEST_WORD, .reg = RFS_RDI, .offset = (at), .mask = (bits), .value = (wanted)               \
	}
#define ONLY                                                                                                           \
	{                                                                                                              \
		.kind = RFS_TEST_ONLY, .reg = RFS_RDI                                                                  \
	}

/* The test that the mutex is normal or recursive, and not shared with other processes. */
#define SIMPLE WORD(AT_KIND, ~KIND_RECURSIVE, 0)

enum tests { LOCK, UNLOCK, READ, WRITE, RW_UNLOCK, POST, TAKE, ONCE, SIGNAL };

/*
 * The test of AT_COUNT accepts 0 and 1: a normal mutex has count 0, a recursive one has count 1 at its last unlock. A
 * readers-writer lock may still be in the write phase after the last unlock; then the next reader ends the phase at
 * once. If only the next unlock was lent, signals do not stop before it, but after it they do.
 */
static const struct {
	uint8_t n;
	struct rfs_stub_test test[RFS_STUB_TESTS];
} tests[] = {
	[LOCK] = {2, {SIMPLE, WORD(AT_LOCK, ~0u, LOCK_FREE)}},
	[UNLOCK] = {5,
		    {SIMPLE,
		     WORD(AT_LOCK, ~0u, LOCK_HELD),
		     WORD(AT_COUNT, ~1u, 0),
		     {.kind = RFS_TEST_SELF, .reg = RFS_RDI, .offset = AT_OWNER, .mask = ~0u},
		     ONLY}},
	[READ] = {3,
		  {WORD(AT_READERS, WRITE_LOCKED | READERS_WAIT, 0), WORD(AT_WRITERS, ~0u, 0),
		   WORD(AT_RW_SHARED, ~0u, 0)}},
	[WRITE] = {3, {WORD(AT_READERS, ~WRITE_PHASE, 0), WORD(AT_WRITERS, ~0u, 0), WORD(AT_RW_SHARED, ~0u, 0)}},
	[RW_UNLOCK] = {4,
		       {WORD(AT_READERS, READERS_WAIT, 0), WORD(AT_WRITERS, ~0u, 0), WORD(AT_RW_SHARED, ~0u, 0), ONLY}},
	[POST] = {3, {WORD(AT_WAITERS, ~0u, 0), WORD(AT_PRIVATE, ~0u, 0), ONLY}},
	[TAKE] = {3,
		  {{.kind = RFS_TEST_ANY, .reg = RFS_RDI, .offset = AT_VALUE, .mask = ~0u},
		   WORD(AT_WAITERS, ~0u, 0),
		   WORD(AT_PRIVATE, ~0u, 0)}},
	[ONCE] = {1, {WORD(AT_ONCE, ONCE_IN_PROGRESS | ONCE_DONE, ONCE_DONE)}},
	[SIGNAL] = {2, {WORD(AT_COND_WREFS, COND_SHARED, 0), {.kind = RFS_TEST_LENT, .value = RFS_LENT_UNLOCKS}}},
};

/* A function whose calls are recorded. */
struct function {
	const char *name;
	enum rfs_operand_kind operand;
	enum rfs_lent_calls lent;
	enum tests tests;
};
static const struct function functions[] = {
	{"pthread_mutex_lock", RFS_OPERAND_LOCKED, RFS_LENT_LOCKS, LOCK},
	{"pthread_mutex_unlock", RFS_OPERAND_UNLOCKED, RFS_LENT_UNLOCKS, UNLOCK},
	{"pthread_mutex_trylock", RFS_OPERAND_TRY_LOCKED, RFS_LENT_LOCKS, LOCK},
	{"pthread_rwlock_rdlock", RFS_OPERAND_READ_LOCKED, RFS_LENT_LOCKS, READ},
	{"pthread_rwlock_wrlock", RFS_OPERAND_WRITE_LOCKED, RFS_LENT_LOCKS, WRITE},
	{"pthread_rwlock_tryrdlock", RFS_OPERAND_TRY_READ_LOCKED, RFS_LENT_LOCKS, READ},
	{"pthread_rwlock_trywrlock", RFS_OPERAND_TRY_WRITE_LOCKED, RFS_LENT_LOCKS, WRITE},
	{"pthread_rwlock_unlock", RFS_OPERAND_RW_UNLOCKED, RFS_LENT_UNLOCKS, RW_UNLOCK},
	{"sem_post", RFS_OPERAND_POSTED, RFS_LENT_UNLOCKS, POST},
	{"sem_wait", RFS_OPERAND_TAKEN, RFS_LENT_LOCKS, TAKE},
	{"sem_trywait", RFS_OPERAND_TRY_TAKEN, RFS_LENT_LOCKS, TAKE},
	{"pthread_once", RFS_OPERAND_ONCE_DONE, RFS_LENT_LOCKS, ONCE},
	{"pthread_cond_signal", RFS_OPERAND_SIGNALLED, RFS_LENT_SIGNALS, SIGNAL},
	{"pthread_cond_broadcast", RFS_OPERAND_BROADCAST, RFS_LENT_SIGNALS, SIGNAL},
};
#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))

size_t rfs_lock_calls(const struct rfs_code_entry **out)
{
	static struct rfs_code_entry entries[N_FUNCTIONS];

	for (size_t i = 0; i < N_FUNCTIONS; i++)
		entries[i] = (struct rfs_code_entry){functions[i].name, false, NULL};
	*out = entries;
	return N_FUNCTIONS;
}

bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	const struct function *f = functions;

	while (strcmp(f->name, site->callee) != 0)
		f++;
	*out = (struct rfs_stub_call){
		.n = 2,
		.argument = {{RFS_OPERAND_CALLER, RFS_MEM_WRITE, RFS_RSP},
			     {(uint8_t)f->operand, RFS_MEM_WRITE, RFS_RDI}},
		.n_tests = tests[f->tests].n,
		.lent = (uint8_t)f->lent,
	};
	memcpy(out->test, tests[f->tests].test, sizeof(out->test));
	return true;
}
