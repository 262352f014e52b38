/*
 * order_connection: a worker takes a connection from the table in one section and answers on it in another. The
 * connection may be closed and freed between the two.
 *
 * Answer: failure, no race: a use after free by an atomicity violation.
 * Plain and random runs: never fail, because the worker has answered long before the connection is closed.
 * Twin: the worker looks again whether the connection is in the table.
 */
#include "late.h"
#include "target.h"

struct peer {
	long answers;
};

struct connection {
	struct peer *peer;
	long state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *table[2];
static struct peer peer;

static void *work(void *arg)
{
	struct connection *connection;

	(void)arg;
	pthread_mutex_lock(&lock);
	connection = table[1];
	if (connection && !connection->peer)
		connection = NULL;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#ifdef FIXED
	connection = table[1];
#endif
	if (connection)
		connection->peer->answers++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *close_connection(void *arg)
{
	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	free(table[1]);
	table[1] = NULL;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	/* a free block is linked to the next one, so its first word does not stay a pointer */
	free(malloc(sizeof(struct connection)));
	table[1] = malloc(sizeof(*table[1]));
	*table[1] = (struct connection){&peer, 1};
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, close_connection, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
