/*
 * double_independent: two threads change and read two variables in sections of their own, but the variables have
 * nothing to do with each other.
 *
 * Answer: silent. Any order of the sections is correct.
 * Plain runs: never fail.
 */
#include "target.h"

static struct {
	pthread_mutex_t lock;
	int level, colour;
	long read, written;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set(int *variable, int value)
{
	pthread_mutex_lock(&state.lock);
	*variable = value;
	pthread_mutex_unlock(&state.lock);
}

static int get(const int *variable)
{
	int value;

	pthread_mutex_lock(&state.lock);
	value = *variable;
	pthread_mutex_unlock(&state.lock);
	return value;
}

static void count(long *counter)
{
	pthread_mutex_lock(&state.lock);
	(*counter)++;
	pthread_mutex_unlock(&state.lock);
}

static void *change(void *arg)
{
	(void)arg;
	set(&state.level, 3);
	count(&state.written);
	set(&state.colour, 5);
	count(&state.written);
	return NULL;
}

static void *show(void *arg)
{
	int level, colour;

	(void)arg;
	level = get(&state.level);
	count(&state.read);
	colour = get(&state.colour);
	count(&state.read);
	if ((level != 0 && level != 3) || (colour != 0 && colour != 5))
		fail("a value that nobody set");
	return NULL;
}

int main(void)
{
	const pthread_t first = start(show, NULL), second = start(change, NULL);

	join(first);
	join(second);
	if (state.read != 2 || state.written != 2)
		fail("counts");
	return 0;
}
