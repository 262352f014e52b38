/* A GThreadPool gets blocks to add up; main waits at a GCond. With RACY, tasks also change a variable without a lock.
 */
#include <glib.h>

static GMutex mutex;
static GCond cond;
static int done, sum;
#ifdef RACY
static int unlocked;
#endif

static void work(gpointer data, gpointer user)
{
	int *item = data;

	(void)user;
	g_mutex_lock(&mutex);
	sum += *item;
	done++;
	g_cond_signal(&cond);
	g_mutex_unlock(&mutex);
#ifdef RACY
	unlocked = unlocked * 3 + 1;
#endif
	g_free(item);
}

int main(void)
{
	GThreadPool *pool = g_thread_pool_new(work, NULL, 3, FALSE, NULL);

	for (int i = 0; i < 12; i++) {
		int *item = g_new(int, 1);

		*item = i;
		g_thread_pool_push(pool, item, NULL);
	}
	g_mutex_lock(&mutex);
	while (done < 12)
		g_cond_wait(&cond, &mutex);
	g_mutex_unlock(&mutex);
	g_thread_pool_free(pool, FALSE, TRUE);
	return sum != 66;
}
