/*
 * lock_calls_test.c - a stub records a lock or an unlock only if its tests pass. Here they are applied to mutexes of
 * the C library.
 */
#include "supervisor/access/lock_calls.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

TestSuite(lock_calls, .timeout = 20);

static struct rfs_stub_call recorded(const char *callee)
{
	const struct rfs_code_site site = {.kind = RFS_CODE_ENTRY, .callee = callee};
	struct rfs_stub_call call;

	cr_assert(rfs_lock_call_recorded(&site, &call));
	return call;
}

/* Applies the stub's tests to the mutex. Ignores RFS_TEST_ONLY, because its value depends on the run. */
static bool passes(const struct rfs_stub_call *call, const void *mutex, uint32_t self)
{
	for (size_t i = 0; i < call->n_tests; i++) {
		const struct rfs_stub_test *test = &call->test[i];
		uint32_t word;

		cr_assert_eq(test->reg, RFS_RDI);
		if (test->kind == RFS_TEST_ONLY)
			continue;
		memcpy(&word, (const char *)mutex + test->offset, sizeof(word));
		if ((word & test->mask) != (test->kind == RFS_TEST_SELF ? self : test->value))
			return false;
	}
	return true;
}

#define UNSET (-1)

static void make(pthread_mutex_t *mutex, int type, int protocol, int shared, int robust)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	if (type != UNSET)
		pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setpshared(&attributes, shared);
	pthread_mutexattr_setrobust(&attributes, robust);
	cr_assert_eq(pthread_mutex_init(mutex, &attributes), 0);
	pthread_mutexattr_destroy(&attributes);
}

Test(lock_calls, kinds)
{
	static const struct {
		const char *what;
		int type, protocol, shared, robust;
		bool recorded;
	} cases[] = {
		{"default", UNSET, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED, true},
		/* for an explicit type, the C library sets a flag (PTHREAD_MUTEX_NO_ELISION_NP), so the tests fail */
		{"normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED,
		 false},
		{"recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE,
		 PTHREAD_MUTEX_STALLED, true},
		{"error checking", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE,
		 PTHREAD_MUTEX_STALLED, false},
		{"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE,
		 PTHREAD_MUTEX_STALLED, false},
		{"priority inheriting", UNSET, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED,
		 false},
		{"shared", UNSET, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED, false},
		{"robust", UNSET, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST, false},
	};
	const struct rfs_stub_call lock = recorded("pthread_mutex_lock"), unlock = recorded("pthread_mutex_unlock");
	const uint32_t self = (uint32_t)gettid();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		pthread_mutex_t mutex;

		make(&mutex, cases[i].type, cases[i].protocol, cases[i].shared, cases[i].robust);
		cr_expect_eq(passes(&lock, &mutex, self), cases[i].recorded, "%s, free", cases[i].what);
		cr_expect_not(passes(&unlock, &mutex, self), "%s, free: nothing to unlock", cases[i].what);
		cr_assert_eq(pthread_mutex_lock(&mutex), 0);
		cr_expect_not(passes(&lock, &mutex, self), "%s, held: the lock may block", cases[i].what);
		cr_expect_eq(passes(&unlock, &mutex, self), cases[i].recorded, "%s, held", cases[i].what);
		cr_expect_not(passes(&unlock, &mutex, self + 1), "%s, held by another thread", cases[i].what);
		cr_assert_eq(pthread_mutex_unlock(&mutex), 0);
		pthread_mutex_destroy(&mutex);
	}
}

Test(lock_calls, recursive_holds)
{
	const struct rfs_stub_call lock = recorded("pthread_mutex_lock"), unlock = recorded("pthread_mutex_unlock");
	const uint32_t self = (uint32_t)gettid();
	pthread_mutex_t mutex;

	make(&mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
	cr_expect_not(passes(&lock, &mutex, self));
	cr_expect_not(passes(&unlock, &mutex, self), "the mutex stays held");
	pthread_mutex_unlock(&mutex);
	cr_expect(passes(&unlock, &mutex, self), "the last unlock");
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

Test(lock_calls, operands)
{
	const struct rfs_stub_call lock = recorded("pthread_mutex_lock"), unlock = recorded("pthread_mutex_unlock");
	const struct rfs_code_entry *entries;
	size_t n = rfs_lock_calls(&entries);

	cr_expect(lock.n == 2 && lock.argument[0].kind == RFS_OPERAND_CALLER && lock.argument[0].reg == RFS_RSP &&
		  lock.argument[1].kind == RFS_OPERAND_LOCKED && lock.argument[1].reg == RFS_RDI);
	cr_expect(unlock.n == 2 && unlock.argument[0].kind == RFS_OPERAND_CALLER && unlock.argument[0].reg == RFS_RSP &&
		  unlock.argument[1].kind == RFS_OPERAND_UNLOCKED && unlock.argument[1].reg == RFS_RDI);
	cr_expect(lock.lent == RFS_LENT_LOCKS && unlock.lent == RFS_LENT_UNLOCKS);
	cr_expect_leq(lock.n_tests, RFS_STUB_TESTS);
	cr_expect_leq(unlock.n_tests, RFS_STUB_TESTS);
	cr_assert_eq(n, 2);
	cr_expect_str_eq(entries[0].name, "pthread_mutex_lock");
	cr_expect_str_eq(entries[1].name, "pthread_mutex_unlock");
}
