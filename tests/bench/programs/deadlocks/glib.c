/*
 * glib.c - a queue and a table of GLib, each with its GMutex. The worker takes the queue's lock and then the table's;
 * the reporter does the reverse. The worker has usually ended when the reporter begins. Between both, threads of a pool
 * use other locks. With FIXED, the reporter takes the locks in the same order.
 */
#include <glib.h>

static GMutex queue_lock, table_lock, others[8];
static GQueue *queue;
static GHashTable *table;
static gint sums[8];

static void use_others(gpointer data, gpointer unused)
{
	guint first = GPOINTER_TO_UINT(data) % 7;

	(void)unused;
	g_mutex_lock(&others[first]);
	g_mutex_lock(&others[first + 1]);
	sums[first]++;
	g_mutex_unlock(&others[first + 1]);
	g_mutex_unlock(&others[first]);
}

static gpointer work(gpointer unused)
{
	g_mutex_lock(&queue_lock);
	g_mutex_lock(&table_lock);
	while (!g_queue_is_empty(queue)) {
		gpointer item = g_queue_pop_head(queue);

		g_hash_table_insert(table, item, item);
	}
	g_mutex_unlock(&table_lock);
	g_mutex_unlock(&queue_lock);
	return unused;
}

static gpointer report(gpointer seen)
{
	g_usleep(1000);
#ifdef FIXED
	g_mutex_lock(&queue_lock);
	g_mutex_lock(&table_lock);
#else
	g_mutex_lock(&table_lock);
	g_mutex_lock(&queue_lock);
#endif
	*(guint *)seen = g_hash_table_size(table) + g_queue_get_length(queue);
	g_mutex_unlock(&queue_lock);
	g_mutex_unlock(&table_lock);
	return NULL;
}

int main(void)
{
	GThreadPool *pool;
	GThread *worker, *reporter;
	guint seen = 0;

	queue = g_queue_new();
	table = g_hash_table_new(g_direct_hash, g_direct_equal);
	for (guint i = 1; i <= 4; i++)
		g_queue_push_tail(queue, GUINT_TO_POINTER(i));
	pool = g_thread_pool_new(use_others, NULL, 2, TRUE, NULL);
	worker = g_thread_new("worker", work, NULL);
	reporter = g_thread_new("reporter", report, &seen);
	for (guint i = 1; i <= 8; i++)
		g_thread_pool_push(pool, GUINT_TO_POINTER(i), NULL);
	g_thread_join(worker);
	g_thread_join(reporter);
	g_thread_pool_free(pool, FALSE, TRUE);
	g_print("%u\n", seen);
	return 0;
}
