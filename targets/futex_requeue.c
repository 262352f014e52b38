/*
 * futex_requeue: calls futex(2) as a condition variable would. Two threads sleep on the first of three words.
 * FUTEX_CMP_REQUEUE wakes one and moves the other to the second word. With a wrong value it does nothing. FUTEX_WAKE_OP
 * wakes the moved thread. FUTEX_REQUEUE moves a thread without waking one.
 *
 * Answer: silent. The program checks every count that the kernel must return.
 */
#include "futex.h"
#include "target.h"
#include <errno.h>
#include <sched.h>

static _Atomic int first, second, third = 5;
static _Atomic int awake;

static void *sleeper(void *arg)
{
	if (futex_wait(&first, 0))
		fail("asleep on a changed word");
	awake++;
	return arg;
}

/* Waits until n threads sleep on the word. A requeue from a word to itself counts them and has no other effect. */
static void wait_for(_Atomic int *word, long n)
{
	while (syscall(SYS_futex, word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 1000L, word, *word) != n)
		sched_yield();
}

static void expect(long got, long wanted, const char *what)
{
	if (got != wanted)
		fail(what);
}

int main(void)
{
	pthread_t threads[2];

	threads[0] = start(sleeper, NULL);
	threads[1] = start(sleeper, NULL);
	wait_for(&first, 2);
	if (syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 9) != -1 || errno != EAGAIN)
		fail("CMP_REQUEUE with another value");
	expect(awake, 0, "somebody woke");
	expect(syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 0), 2, "CMP_REQUEUE");
	expect(futex_wake(&first, 10), 0, "somebody is left");
	/* third becomes 5 + 3; sleepers on third are not woken, because 5 is not 6 */
	expect(syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &third,
		       FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 6)),
	       0, "WAKE_OP where the comparison fails");
	expect(third, 8, "WAKE_OP adds");
	expect(syscall(SYS_futex, &third, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &second,
		       FUTEX_OP(FUTEX_OP_SET, 4, FUTEX_OP_CMP_EQ, 0)),
	       1, "WAKE_OP");
	expect(second, 4, "WAKE_OP sets");
	join(threads[0]);
	join(threads[1]);
	expect(awake, 2, "sleepers");

	threads[0] = start(sleeper, NULL);
	wait_for(&first, 1);
	expect(syscall(SYS_futex, &first, FUTEX_REQUEUE_PRIVATE, 0, 1L, &third, 0), 1, "REQUEUE");
	expect(futex_wake(&first, 1), 0, "still on the first word");
	expect(futex_wake(&third, 1), 1, "not on the other word");
	join(threads[0]);
	printf("%d woken\n", awake);
	return 0;
}
