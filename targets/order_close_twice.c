/*
 * order_close_twice: two threads give up a connection. The second one then opens a log, which gets the same number. If
 * both have read the number before one of them forgets it, the first thread may close the log.
 *
 * Answer: failure: a write to the log fails.
 * Plain and random runs: never fail, because the first thread has forgotten the number long before.
 * Twin: only one thread takes the number. Each thread also closes a descriptor of its own; all have the same number.
 */
#include <fcntl.h>
#include <unistd.h>

#include "target.h"

static int connection;

static void give_up(void)
{
#ifdef FIXED
	const int mine = __atomic_exchange_n(&connection, -1, __ATOMIC_SEQ_CST);

	close(dup(STDERR_FILENO));
#else
	const int mine = __atomic_load_n(&connection, __ATOMIC_SEQ_CST);
#endif
	if (mine >= 0)
		close(mine);
	__atomic_store_n(&connection, -1, __ATOMIC_SEQ_CST);
}

static void *serve(void *arg)
{
	give_up();
	return arg;
}

static void *write_log(void *arg)
{
	int log;

	give_up();
	log = open("/dev/null", O_WRONLY);
	if (write(log, "note\n", 5) != 5)
		fail("the log is closed");
	close(log);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	connection = open("/dev/null", O_RDONLY);
	threads[0] = start(serve, NULL);
	threads[1] = start_late(write_log, NULL, 2);
	for (int i = 0; i < 2; i++)
		join(threads[i]);
	return 0;
}
