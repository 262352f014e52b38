/*
 * glib_pool: a GLib thread pool of four threads works on twelve tasks. They share a GAsyncQueue of results, a
 * GHashTable under a GMutex, and a total that only some tasks update under the lock.
 */
#include <glib.h>

#define TASKS 12

static GAsyncQueue *results;
static GHashTable *seen;
static GMutex lock;
static int total, late;

static void task(gpointer data, gpointer user_data)
{
	int i = GPOINTER_TO_INT(data);

	(void)user_data;
	g_mutex_lock(&lock);
	g_hash_table_insert(seen, data, GINT_TO_POINTER(i * i));
	total += i;
	g_mutex_unlock(&lock);
	if (i % 4 == 0)
		late = i; /* a race that the order of a lock may hide */
	g_async_queue_push(results, GINT_TO_POINTER(i + 1));
	g_mutex_lock(&lock);
	if (i % 5 == 0)
		total -= late;
	g_mutex_unlock(&lock);
}

int main(void)
{
	GThreadPool *pool;

	results = g_async_queue_new();
	seen = g_hash_table_new(NULL, NULL);
	pool = g_thread_pool_new(task, NULL, 4, TRUE, NULL);
	for (int i = 1; i <= TASKS; i++)
		g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
	for (int i = 0; i < TASKS; i++)
		g_async_queue_pop(results);
	g_thread_pool_free(pool, FALSE, TRUE);
	return total == 0;
}
