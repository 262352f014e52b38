/* A thread pool of GLib adds numbers under a mutex, and an asynchronous queue carries them back. */
#include <glib.h>
#include <stdio.h>

static GMutex mutex;
static int total;
static GAsyncQueue *queue;

static void work(gpointer data, gpointer unused)
{
	(void)unused;
	g_mutex_lock(&mutex);
	total += GPOINTER_TO_INT(data);
	g_mutex_unlock(&mutex);
	g_async_queue_push(queue, data);
}

int main(void)
{
	GThreadPool *pool;
	int back = 0;

	queue = g_async_queue_new();
	pool = g_thread_pool_new(work, NULL, 3, FALSE, NULL);
	for (int i = 1; i <= 20; i++)
		g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
	for (int i = 1; i <= 20; i++)
		back += GPOINTER_TO_INT(g_async_queue_pop(queue));
	g_thread_pool_free(pool, FALSE, TRUE);
	g_async_queue_unref(queue);
	printf("total %d back %d\n", total, back);
	return 0;
}
