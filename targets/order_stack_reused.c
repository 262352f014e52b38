/*
 * order_stack_reused: clients come one after the other and wait for their answer, so the C library gives each the stack
 * of the one before. A server answers each of them under a lock.
 *
 * Answer: nothing. A client may end between two turns of the server, and the next question is then at the same address.
 * It is no use of the stack of the client that has ended.
 */
#include "target.h"

#define CLIENTS 4

struct question {
	int text, answer, is_answered;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct question *next;
static int n_answered, sum;

static void *serve(void *arg)
{
	int left = CLIENTS;

	while (left > 0) {
		pthread_mutex_lock(&lock);
		if (next) {
			next->answer = next->text + 1;
			next->is_answered = 1;
			next = NULL;
			left--;
			n_answered++;
		}
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return arg;
}

static void *ask(void *arg)
{
	struct question question = {.text = 1};
	int is_answered = 0;

	pthread_mutex_lock(&lock);
	next = &question;
	pthread_mutex_unlock(&lock);
	while (!is_answered) {
		sched_yield();
		pthread_mutex_lock(&lock);
		is_answered = question.is_answered;
		sum += is_answered ? question.answer : 0;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t server = start(serve, NULL), client;

	for (int i = 0; i < CLIENTS; i++) {
		client = start(ask, NULL);
		pthread_join(client, NULL);
	}
	pthread_join(server, NULL);
	printf("%d\n", sum);
	return sum != 2 * CLIENTS;
}
