/*
 * order_stack: each client puts a question, which is a local variable of its thread, on a list. A server answers it. A
 * client that has waited long enough leaves without its answer. So its thread may end before the server writes the
 * answer.
 *
 * Answer: failure, no race: the server writes to the stack of a thread that has ended.
 * Plain and random runs: never fail, because the server answers long before its client leaves.
 * Twin: a client takes its question off the list, or waits until it is answered.
 */
#include "late.h"
#include "target.h"

struct question {
	int text, answer;
	int is_answered;
	struct question *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct question *questions;

static void *serve(void *arg)
{
	struct question *question;

	pthread_mutex_lock(&lock);
	while (!questions)
		pthread_cond_wait(&changed, &lock);
	question = questions;
	questions = question->next;
#ifdef FIXED
	question->answer = question->text + 1;
	question->is_answered = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	question->answer = question->text + 1;
#endif
	return arg;
}

static void *ask(void *arg)
{
	struct question question = {.text = 1};

	pthread_mutex_lock(&lock);
	question.next = questions;
	questions = &question;
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

	threads[0] = start(serve, NULL);
	threads[1] = start(ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
