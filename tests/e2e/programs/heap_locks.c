/* Two locks in the heap, which one function takes, in both orders: a deadlock if each thread has one. */
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account *accounts[2];

static void take(struct account *account)
{
	pthread_mutex_lock(&account->lock);
}

static void move(struct account *from, struct account *to)
{
	take(from);
	take(to);
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *forth(void *arg)
{
	move(accounts[0], accounts[1]);
	return arg;
}

static void *back(void *arg)
{
	move(accounts[1], accounts[0]);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		accounts[i] = calloc(1, sizeof(*accounts[i]));
		if (!accounts[i] || pthread_mutex_init(&accounts[i]->lock, NULL))
			return 1;
	}
	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
