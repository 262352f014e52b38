/*
 * lock_calls_test.c - a stub records a call only if its tests pass. Here they are applied to objects of the C library.
 */
#include "supervisor/access/calls/lock_calls.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
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

/* Applies the stub's tests to the mutex. Ignores tests whose result depends on the run. */
static bool passes(const struct rfs_stub_call *call, const void *mutex, uint32_t self)
{
	for (size_t i = 0; i < call->n_tests; i++) {
		const struct rfs_stub_test *test = &call->test[i];
		uint32_t word;

		if (test->kind == RFS_TEST_LENT)
			continue;
		cr_assert_eq(test->reg, RFS_RDI);
		if (test->kind == RFS_TEST_ONLY)
			continue;
		memcpy(&word, (const char *)mutex + test->offset, sizeof(word));
		if (test->kind == RFS_TEST_ANY
			    ? !(word & test->mask)
			    : (word & test->mask) != (test->kind == RFS_TEST_SELF ? self : test->value))
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
	for (size_t i = 0; i < n; i++) {
		const struct rfs_stub_call call = recorded(entries[i].name);

		cr_expect(call.n == 2 && call.argument[1].kind >= RFS_OPERAND_LOCKED && call.argument[1].reg == RFS_RDI,
			  "%s", entries[i].name);
		cr_expect(call.n_tests > 0 && call.n_tests <= RFS_STUB_TESTS && call.lent < RFS_STUB_LENT, "%s",
			  entries[i].name);
	}
}

Test(lock_calls, readers_writer_locks)
{
	const struct rfs_stub_call read = recorded("pthread_rwlock_rdlock"), write = recorded("pthread_rwlock_wrlock"),
				   unlock = recorded("pthread_rwlock_unlock");
	pthread_rwlockattr_t shared;
	pthread_rwlock_t lock;

	pthread_rwlock_init(&lock, NULL);
	/* the second round begins in the write phase that the first round leaves */
	for (int i = 0; i < 2; i++) {
		cr_expect(passes(&read, &lock, 0) && passes(&write, &lock, 0), "free");
		pthread_rwlock_rdlock(&lock);
		cr_expect(passes(&read, &lock, 0) && passes(&unlock, &lock, 0), "read");
		cr_expect_not(passes(&write, &lock, 0), "a writer would wait for the reader");
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		cr_expect_not(passes(&read, &lock, 0) || passes(&write, &lock, 0),
			      "everyone would wait for the writer");
		cr_expect(passes(&unlock, &lock, 0), "written");
		pthread_rwlock_unlock(&lock);
	}
	pthread_rwlock_destroy(&lock);
	pthread_rwlockattr_init(&shared);
	pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&lock, &shared);
	cr_expect_not(passes(&read, &lock, 0) || passes(&write, &lock, 0) || passes(&unlock, &lock, 0), "shared");
	pthread_rwlock_destroy(&lock);
}

Test(lock_calls, semaphores_and_condition_variables)
{
	const struct rfs_stub_call post = recorded("sem_post"), take = recorded("sem_wait"),
				   signals = recorded("pthread_cond_signal");
	pthread_condattr_t shared;
	pthread_cond_t cond;
	sem_t sem;

	sem_init(&sem, 0, 0);
	cr_expect(passes(&post, &sem, 0));
	cr_expect_not(passes(&take, &sem, 0), "no token");
	sem_post(&sem);
	cr_expect(passes(&post, &sem, 0) && passes(&take, &sem, 0), "a token");
	sem_destroy(&sem);
	sem_init(&sem, 1, 1);
	cr_expect_not(passes(&post, &sem, 0) || passes(&take, &sem, 0), "shared");
	sem_destroy(&sem);
	pthread_cond_init(&cond, NULL);
	cr_expect(passes(&signals, &cond, 0));
	pthread_cond_destroy(&cond);
	pthread_condattr_init(&shared);
	pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&cond, &shared);
	cr_expect_not(passes(&signals, &cond, 0), "shared");
	pthread_cond_destroy(&cond);
	cr_expect(signals.lent == RFS_LENT_SIGNALS && post.lent == RFS_LENT_UNLOCKS && take.lent == RFS_LENT_LOCKS);
}

static void nothing(void)
{
}

/* Only a call whose routine has run returns at once and runs nothing. */
Test(lock_calls, once)
{
	const struct rfs_stub_call once = recorded("pthread_once");
	pthread_once_t word = PTHREAD_ONCE_INIT;
	int in_progress = 1;

	cr_expect_not(passes(&once, &word, 0), "the routine would run");
	pthread_once(&word, nothing);
	cr_expect(passes(&once, &word, 0));
	cr_expect_not(passes(&once, &in_progress, 0), "the call would wait");
	cr_expect_eq(once.lent, RFS_LENT_LOCKS);
}
