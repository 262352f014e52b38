/*
 * order_free: a worker is given a connection when it starts, and answers on it in one section. Another thread closes
 * the connection and frees it in another section of the same lock, and does not wait for the worker.
 *
 * Answer: failure, no race, no atomicity violation: the worker uses the connection after it was freed.
 * Plain and random runs: never fail, because the worker has answered long before the connection is closed. Even if it
 * has not, the freed block still looks like a connection.
 * Twin: the worker looks in the table whether the connection is still open.
 */
#include "late.h"
#include "target.h"

struct connection {
	long header[4];
	long answers;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *table[2];

static void *work(void *arg)
{
	struct connection *connection = arg;

	pthread_mutex_lock(&lock);
#ifdef FIXED
	connection = table[1];
#endif
	if (connection)
		connection->answers++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *close_connection(void *arg)
{
	struct connection *connection = arg;

	come_late();
	pthread_mutex_lock(&lock);
	table[1] = NULL;
	free(connection);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	pthread_t threads[2];

	table[1] = connection;
	pthread_create(&threads[0], NULL, work, connection);
	pthread_create(&threads[1], NULL, close_connection, connection);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
