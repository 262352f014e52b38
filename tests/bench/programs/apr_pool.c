/*
 * apr_pool: an APR thread pool of four threads works on a bank. Each account, the journal and the rates have a lock.
 * Tasks move money between two accounts, refresh rates or audit. They report to the main thread through an APR queue.
 * Meanwhile the main thread asks the pool how busy it is. Counters, hints and displayed values are not protected,
 * neither here nor in the pool.
 */
#include <apr_general.h>
#include <apr_queue.h>
#include <apr_thread_mutex.h>
#include <apr_thread_pool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 5
#define TASKS 10
#define LINES 8

struct account {
	apr_thread_mutex_t *lock;
	long balance;
	int last_task; /* a hint for the audit, not protected */
};

static struct account accounts[ACCOUNTS];

static struct {
	apr_thread_mutex_t *lock;
	int lines[LINES], n;
	int written; /* displayed, not protected */
} journal;

static struct {
	apr_thread_mutex_t *lock;
	int rate;
	int age, hits;
} rates;

static apr_queue_t *done;
static int moved, audits, last_audit;

static void check(apr_status_t status)
{
	if (status != APR_SUCCESS)
		exit(2);
}

static void write_journal(int task)
{
	apr_thread_mutex_lock(journal.lock);
	journal.lines[journal.n++ % LINES] = task;
	apr_thread_mutex_unlock(journal.lock);
	journal.written = task;
}

static int current_rate(void)
{
	int rate;

	rates.hits++;
	apr_thread_mutex_lock(rates.lock);
	rate = rates.rate;
	apr_thread_mutex_unlock(rates.lock);
	return rate;
}

static void finish(int task)
{
	check(apr_queue_push(done, (void *)(intptr_t)(task + 1)));
}

static void *APR_THREAD_FUNC move_money(apr_thread_t *thread, void *arg)
{
	int task = (int)(intptr_t)arg, low = task % ACCOUNTS, high = (task * 2 + 1) % ACCOUNTS, amount;

	(void)thread;
	if (low > high) {
		int swapped = low;

		low = high;
		high = swapped;
	}
	amount = current_rate() * task;
	accounts[low].last_task = task;
	apr_thread_mutex_lock(accounts[low].lock);
	if (high != low)
		apr_thread_mutex_lock(accounts[high].lock);
	accounts[low].balance -= amount;
	accounts[high].balance += amount;
	if (high != low)
		apr_thread_mutex_unlock(accounts[high].lock);
	apr_thread_mutex_unlock(accounts[low].lock);
	moved++;
	write_journal(task);
	finish(task);
	return NULL;
}

static void *APR_THREAD_FUNC refresh(apr_thread_t *thread, void *arg)
{
	int task = (int)(intptr_t)arg;

	(void)thread;
	rates.age = 0;
	apr_thread_mutex_lock(rates.lock);
	rates.rate++;
	apr_thread_mutex_unlock(rates.lock);
	rates.age = rates.hits;
	write_journal(task);
	finish(task);
	return NULL;
}

static void *APR_THREAD_FUNC audit(apr_thread_t *thread, void *arg)
{
	int task = (int)(intptr_t)arg, seen = 0;
	long sum = 0;

	(void)thread;
	for (int i = 0; i < ACCOUNTS; i++) {
		apr_thread_mutex_lock(accounts[i].lock);
		sum += accounts[i].balance;
		apr_thread_mutex_unlock(accounts[i].lock);
		seen += accounts[i].last_task;
	}
	last_audit = sum == 0 ? task : seen;
	audits++;
	write_journal(task);
	finish(task);
	return NULL;
}

int main(void)
{
	static apr_thread_start_t const work[] = {move_money, move_money, refresh, move_money, audit};
	apr_thread_pool_t *workers;
	apr_size_t busy = 0;
	apr_pool_t *pool;

	check(apr_initialize());
	check(apr_pool_create(&pool, NULL));
	for (int i = 0; i < ACCOUNTS; i++)
		check(apr_thread_mutex_create(&accounts[i].lock, APR_THREAD_MUTEX_DEFAULT, pool));
	check(apr_thread_mutex_create(&journal.lock, APR_THREAD_MUTEX_DEFAULT, pool));
	check(apr_thread_mutex_create(&rates.lock, APR_THREAD_MUTEX_DEFAULT, pool));
	check(apr_queue_create(&done, TASKS, pool));
	check(apr_thread_pool_create(&workers, 2, 4, pool));
	for (int i = 0; i < TASKS; i++)
		check(apr_thread_pool_push(workers, work[i % 5], (void *)(intptr_t)i, APR_THREAD_TASK_PRIORITY_NORMAL,
					   NULL));
	for (int i = 0; i < TASKS; i++) {
		void *task;

		check(apr_queue_pop(done, &task));
		busy += apr_thread_pool_busy_count(workers) + apr_thread_pool_tasks_run_count(workers);
		if (journal.written == TASKS - 1)
			busy += (apr_size_t)(rates.age + last_audit);
	}
	check(apr_thread_pool_destroy(workers));
	printf("%d\n", busy > 0 && moved > 0 && audits > 0);
	apr_terminate();
	return 0;
}
