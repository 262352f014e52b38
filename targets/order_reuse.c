/*
 * order_reuse: a server keeps its clients in a table. A worker takes a client from the table in one section, and
 * answers it in another one. A client that a worker has taken is dropped after some time, and the next one gets the
 * same number.
 *
 * Answer: failure, no race, no atomicity violation: the answer goes to the wrong client, and no call fails.
 * Plain and random runs: never fail, because the worker has answered long before its client is dropped.
 * Twin: the worker looks in the table whether its client is still there.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "late.h"
#include "target.h"

struct client {
	int descriptor, other_end;
	long name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t taken = PTHREAD_COND_INITIALIZER;
static struct client table[2];
static int is_taken;

static void open_client(struct client *client, long name)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		fail("socketpair");
	*client = (struct client){ends[0], ends[1], name};
}

static void *answer(void *arg)
{
	struct client client;

	pthread_mutex_lock(&lock);
	client = table[1];
	is_taken = 1;
	pthread_cond_signal(&taken);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#ifdef FIXED
	if (table[1].name == client.name)
#endif
		(void)!write(client.descriptor, &client.name, sizeof(client.name));
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *next_client(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!is_taken)
		pthread_cond_wait(&taken, &lock);
	pthread_mutex_unlock(&lock);
	come_late();
	pthread_mutex_lock(&lock);
	close(table[1].descriptor);
	close(table[1].other_end);
	open_client(&table[1], 2);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	long name;

	open_client(&table[1], 1);
	threads[0] = start(answer, NULL);
	threads[1] = start(next_client, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (recv(table[1].other_end, &name, sizeof(name), MSG_DONTWAIT) == sizeof(name) && name != table[1].name)
		fail("the answer went to the wrong client");
	return 0;
}
