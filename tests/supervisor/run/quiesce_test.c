/*
 * quiesce_test.c - threads that move in the kernel, on the fake tracer. The policy of these runs fails the test if it
 * is asked while a thread moves.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "tests/supervisor/run/scripted_run.h"

TestSuite(quiesce, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define T (FAKE_MEMORY + 0x200)
#define LOCK (FAKE_MEMORY + 0x300)

/*
 * Thread 1 waits for a lock of a file, until thread 0 unlocks it. No choice is made until it sleeps, and thread 0 goes
 * on only when it has woken up.
 */
Test(quiesce, sleeps_in_the_kernel)
{
	static const char *const states[] = {"S", "RS", "RDRDS", "RRRRRRRRS"};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		const struct fake_step first[] = {{.function = "pthread_create", .args = {T, 0, 1, 0}},
						  {.function = "pthread_mutex_lock", .args = {M}},
						  {.number = SYS_fcntl, .args = {3, F_SETLK, LOCK}, .wakes = 1},
						  {.function = "pthread_mutex_unlock", .args = {M}},
						  {0}};
		const struct fake_step second[] = {
			{.number = SYS_fcntl, .args = {3, F_SETLKW, LOCK}, .sleeps = states[i]},
			{.function = "pthread_mutex_lock", .args = {M}},
			{0}};
		const struct fake_step *const scripts[] = {first, second};
		struct rfs_run_result result;

		scripted_run(scripts, "0110011", NULL, &result);
		cr_expect_eq(result.end, RFS_END_EXIT, "%d %s", (int)result.end, result.message ? result.message : "");
		cr_expect_str_eq(scripted_choices(), "0 01 01 0 0 01 0");
		cr_expect_str_eq(fake_log(), "0:pthread_create=0 0:pthread_mutex_lock=0 0:syscall-72=0 1:syscall-72=0 "
					     "0:pthread_mutex_unlock=0 1:end 0:end");
		rfs_run_result_release(&result);
	}
}
