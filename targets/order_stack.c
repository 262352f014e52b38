/*
 * order_stack: a server answers questions in the order in which they came. Most are static. The last one is a local
 * variable of a client, which leaves without its answer when it has waited long enough. So its thread may end before
 * the server writes the answer.
 *
 * Answer: failure, no race: the server writes to the stack of a thread that has ended.
 * Plain and random runs: never fail, because the server answers long before its client leaves.
 * Twin: the client waits until its question is answered.
 */
#include "late.h"
#include "target.h"

#define QUESTIONS 40

struct question {
	int text, answer, is_answered;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct question questions[QUESTIONS], *queue[QUESTIONS + 1];
static int n_queued;

static void *serve(void *arg)
{
	struct question *question;

	for (int i = 0; i <= QUESTIONS; i++) {
		pthread_mutex_lock(&lock);
		while (i == n_queued)
			pthread_cond_wait(&changed, &lock);
		question = queue[i];
#ifndef FIXED
		pthread_mutex_unlock(&lock);
#endif
		question->answer = question->text + 1;
		question->is_answered = 1;
#ifdef FIXED
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
#endif
	}
	return arg;
}

static void *ask(void *arg)
{
	struct question question = {.text = 1};

	pthread_mutex_lock(&lock);
	queue[n_queued++] = &question;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	come_late();
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (!question.is_answered)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < QUESTIONS; i++)
		queue[n_queued++] = &questions[i];
	threads[0] = start(serve, NULL);
	threads[1] = start(ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
