/*
 * lock_test.c - what the memory of a lock says, for literal bytes of each type: free, held by the caller, or held by
 * another thread.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

#include "supervisor/model/layout.h"
#include "supervisor/model/lock.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(lock, .timeout = 60);

#define SELF 7
#define OTHER 9
#define ROBUST RFS_MUTEX_ROBUST
#define INHERIT RFS_MUTEX_INHERIT
#define PROTECT RFS_MUTEX_PROTECT
#define CEILING (20 << RFS_MUTEX_CEILING_SHIFT)

Test(lock, mutex)
{
	static const struct {
		const char *name;
		struct rfs_mutex_memory memory;
		struct rfs_lock_state expect;
		bool refuses_unlock;
	} cases[] = {
		{"normal, free", {0}, {true, true, 0, false, false}, false},
		{"normal, own", {1, 0, SELF, 1, 0}, {false, false, SELF, false, false}, false},
		{"normal, another's", {1, 0, OTHER, 1, 0}, {false, false, OTHER, false, false}, false},
		{"normal, held, owner not written yet", {1, 0, 0, 0, 0}, {false, false, 0, false, false}, false},
		{"normal, contended", {2, 0, OTHER, 1, 0}, {false, false, OTHER, false, false}, false},
		{"recursive, free", {0, 0, 0, 0, RFS_MUTEX_RECURSIVE}, {true, true, 0, false, false}, true},
		{"recursive, own", {1, 1, SELF, 1, RFS_MUTEX_RECURSIVE}, {true, true, SELF, false, false}, false},
		{"recursive, another's",
		 {1, 1, OTHER, 1, RFS_MUTEX_RECURSIVE},
		 {false, false, OTHER, false, false},
		 true},
		{"errorcheck, free", {0, 0, 0, 0, RFS_MUTEX_ERRORCHECK}, {true, true, 0, false, false}, true},
		{"errorcheck, own: EDEADLK",
		 {1, 0, SELF, 1, RFS_MUTEX_ERRORCHECK},
		 {true, false, SELF, false, false},
		 false},
		{"errorcheck, another's",
		 {1, 0, OTHER, 1, RFS_MUTEX_ERRORCHECK},
		 {false, false, OTHER, false, false},
		 true},
		{"adaptive, free", {0, 0, 0, 0, RFS_MUTEX_ADAPTIVE}, {true, true, 0, false, false}, false},
		{"adaptive, own", {1, 0, SELF, 1, RFS_MUTEX_ADAPTIVE}, {false, false, SELF, false, false}, false},
		{"robust, free", {0, 0, 0, 0, ROBUST}, {true, true, 0, false, true}, true},
		{"robust, own", {SELF, 0, SELF, 1, ROBUST}, {false, false, SELF, false, true}, false},
		{"robust, another's", {OTHER, 0, OTHER, 1, ROBUST}, {false, false, OTHER, false, true}, true},
		{"robust, contended",
		 {(int)FUTEX_WAITERS | OTHER, 0, OTHER, 1, ROBUST},
		 {false, false, OTHER, false, true},
		 true},
		{"robust, its owner died", {FUTEX_OWNER_DIED, 0, OTHER, 1, ROBUST}, {true, true, 0, false, true}, true},
		{"robust, not recoverable", {0, 0, INT_MAX - 1, 0, ROBUST}, {true, false, 0, false, true}, true},
		{"inheriting, free", {0, 0, 0, 0, INHERIT}, {true, true, 0, false, false}, true},
		{"inheriting, another's", {OTHER, 0, OTHER, 1, INHERIT}, {false, false, OTHER, false, false}, true},
		{"inheriting, recursive, own",
		 {SELF, 1, SELF, 1, INHERIT | RFS_MUTEX_RECURSIVE},
		 {true, true, SELF, false, false},
		 false},
		{"protecting, free", {CEILING, 0, 0, 0, PROTECT}, {true, true, 0, false, false}, false},
		{"protecting, another's",
		 {CEILING | 1, 0, OTHER, 1, PROTECT},
		 {false, false, OTHER, false, false},
		 false},
		{"shared, another process's",
		 {1, 0, OTHER, 1, RFS_MUTEX_SHARED},
		 {false, false, OTHER, true, false},
		 false},
	};
	struct rfs_lock_state state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_lock_state *expect = &cases[i].expect;

		model_memory_put(BASE, &cases[i].memory, sizeof(cases[i].memory));
		cr_assert(rfs_lock_look(&model_memory, SELF, RFS_LOCK_MUTEX, BASE, &state));
		cr_expect_eq(state.returns, expect->returns, "%s: returns", cases[i].name);
		cr_expect_eq(state.acquires, expect->acquires, "%s: acquires", cases[i].name);
		cr_expect_eq(state.owner, expect->owner, "%s: owner %d", cases[i].name, (int)state.owner);
		cr_expect_eq(state.shared, expect->shared, "%s: shared", cases[i].name);
		cr_expect_eq(state.robust, expect->robust, "%s: robust", cases[i].name);
		cr_expect_eq(rfs_lock_refuses_unlock(&model_memory, SELF, RFS_LOCK_MUTEX, BASE),
			     cases[i].refuses_unlock, "%s: unlock", cases[i].name);
	}
}

/* A readers-writer lock admits another reader, even if a writer waits. */
Test(lock, rwlock)
{
	const unsigned reader = 1u << RFS_RWLOCK_READER_SHIFT, wrlocked = RFS_RWLOCK_WRLOCKED;
	const struct {
		const char *name;
		struct rfs_rwlock_memory memory;
		struct rfs_lock_state read, write;
	} cases[] = {
		{"free", {0}, {true, true, 0, false, false}, {true, true, 0, false, false}},
		{"two readers",
		 {.readers = 2 * reader},
		 {true, true, 0, false, false},
		 {false, false, 0, false, false}},
		{"a reader, and a writer that waits",
		 {.readers = reader, .writers = 1},
		 {true, true, 0, false, false},
		 {false, false, 0, false, false}},
		{"a writer",
		 {.readers = wrlocked, .cur_writer = OTHER},
		 {false, false, OTHER, false, false},
		 {false, false, OTHER, false, false}},
		{"the caller: EDEADLK",
		 {.readers = wrlocked, .cur_writer = SELF},
		 {true, false, SELF, false, false},
		 {true, false, SELF, false, false}},
		{"shared", {.shared = 1}, {true, true, 0, true, false}, {true, true, 0, true, false}},
	};
	struct rfs_lock_state state[2];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		model_memory_put(BASE, &cases[i].memory, sizeof(cases[i].memory));
		cr_assert(rfs_lock_look(&model_memory, SELF, RFS_LOCK_READ, BASE, &state[0]));
		cr_assert(rfs_lock_look(&model_memory, SELF, RFS_LOCK_WRITE, BASE, &state[1]));
		for (int write = 0; write < 2; write++) {
			const struct rfs_lock_state *expect = write ? &cases[i].write : &cases[i].read;

			cr_expect_eq(state[write].returns, expect->returns, "%s, %d: returns", cases[i].name, write);
			cr_expect_eq(state[write].acquires, expect->acquires, "%s, %d: acquires", cases[i].name, write);
			cr_expect_eq(state[write].owner, expect->owner, "%s, %d: owner", cases[i].name, write);
			cr_expect_eq(state[write].shared, expect->shared, "%s, %d: shared", cases[i].name, write);
		}
		cr_expect_not(rfs_lock_refuses_unlock(&model_memory, SELF, RFS_LOCK_READ, BASE));
	}
}

Test(lock, spin)
{
	const int words[] = {1, 0, -1};
	struct rfs_lock_state state;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		model_memory_put(BASE, &words[i], sizeof(words[i]));
		cr_assert(rfs_lock_look(&model_memory, SELF, RFS_LOCK_SPIN, BASE, &state));
		cr_expect_eq(state.returns, words[i] > 0, "%d", words[i]);
		cr_expect_eq(state.acquires, words[i] > 0, "%d", words[i]);
	}
}

Test(lock, word)
{
	const int words[] = {0, 1, 2};
	struct rfs_lock_state state;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		model_memory_put(BASE, &words[i], sizeof(words[i]));
		cr_assert(rfs_lock_look(&model_memory, SELF, RFS_LOCK_WORD, BASE, &state));
		cr_expect_eq(state.returns, words[i] == 0, "%d", words[i]);
		cr_expect_eq(state.acquires, words[i] == 0, "%d", words[i]);
	}
}

Test(lock, memory_that_is_not_there)
{
	struct rfs_lock_state state;

	for (enum rfs_lock_type type = RFS_LOCK_MUTEX; type <= RFS_LOCK_WORD; type++) {
		cr_expect_not(rfs_lock_look(&model_memory, SELF, type, NOWHERE, &state), "%d", (int)type);
		cr_expect_not(rfs_lock_refuses_unlock(&model_memory, SELF, type, NOWHERE), "%d", (int)type);
	}
}

Test(lock, errors)
{
	static const struct {
		struct rfs_mutex_memory memory;
		int expect;
	} cases[] = {
		{{0}, 0},
		{{1, 0, SELF, 1, 0}, 0}, /* it never returns */
		{{1, 0, SELF, 1, RFS_MUTEX_RECURSIVE}, 0},
		{{1, 0, SELF, 1, RFS_MUTEX_ERRORCHECK}, EDEADLK},
		{{1, 0, OTHER, 1, RFS_MUTEX_ERRORCHECK}, 0},
		{{0, 0, 0, 0, ROBUST}, 0},
		{{FUTEX_OWNER_DIED, 0, OTHER, 1, ROBUST}, EOWNERDEAD},
		{{FUTEX_OWNER_DIED | OTHER, 0, OTHER, 1, ROBUST}, EOWNERDEAD},
		{{0, 0, INT_MAX - 1, 0, ROBUST}, ENOTRECOVERABLE},
		{{SELF, 0, SELF, 1, ROBUST | RFS_MUTEX_ERRORCHECK}, EDEADLK},
		{{OTHER, 0, OTHER, 1, ROBUST | RFS_MUTEX_ERRORCHECK}, 0},
	};
	struct rfs_rwlock_memory rwlock = {.readers = RFS_RWLOCK_WRLOCKED, .cur_writer = SELF};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		model_memory_put(BASE, &cases[i].memory, sizeof(cases[i].memory));
		cr_expect_eq(rfs_lock_error(&model_memory, SELF, RFS_LOCK_MUTEX, BASE), cases[i].expect, "%zu", i);
	}
	model_memory_put(BASE, &rwlock, sizeof(rwlock));
	cr_expect_eq(rfs_lock_error(&model_memory, SELF, RFS_LOCK_READ, BASE), EDEADLK);
	cr_expect_eq(rfs_lock_error(&model_memory, OTHER, RFS_LOCK_READ, BASE), 0);
	cr_expect_eq(rfs_lock_error(&model_memory, SELF, RFS_LOCK_MUTEX, NOWHERE), 0);
}
