/* Threads use a GMutex, a GRWLock and a GAsyncQueue. With RACY, they also change a variable without a lock. */
#include <glib.h>

static GMutex mutex;
static GRWLock rwlock;
static int counter, table[8];
static GAsyncQueue *queue;
#ifdef RACY
static int unlocked;
#endif

static gpointer work(gpointer arg)
{
	for (int i = 0; i < 5; i++) {
		int *item = g_new(int, 1);

		g_mutex_lock(&mutex);
		counter++;
		g_mutex_unlock(&mutex);
		g_rw_lock_writer_lock(&rwlock);
		table[i]++;
		g_rw_lock_writer_unlock(&rwlock);
		g_rw_lock_reader_lock(&rwlock);
		if (table[i] > 100)
			g_error("more than all threads");
		g_rw_lock_reader_unlock(&rwlock);
#ifdef RACY
		unlocked = unlocked * 3 + 1;
#endif
		*item = i;
		g_async_queue_push(queue, item);
	}
	return arg;
}

int main(void)
{
	GThread *threads[3];
	int sum = 0;

	queue = g_async_queue_new();
	for (int i = 0; i < 3; i++)
		threads[i] = g_thread_new("worker", work, NULL);
	for (int i = 0; i < 15; i++) {
		int *item = g_async_queue_pop(queue);

		sum += *item;
		g_free(item);
	}
	for (int i = 0; i < 3; i++)
		g_thread_join(threads[i]);
	return counter != 15 || sum != 30;
}
