/*
 * double_closed: a thread looks in one section whether a mailbox is open, and puts a letter into it in another one.
 * Another thread closes the mailbox and empties it.
 *
 * Answer: failure, no race. If the mailbox is closed between the two sections, the letter is never taken out.
 * Plain runs: almost never fail, because the letter is there before the mailbox is closed.
 * Twin: the letter is put in the section that has looked.
 */
#include "target.h"

struct mailbox {
	pthread_mutex_t lock;
	int closed, letters;
};

struct mailbox mailbox = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_open(void)
{
	int open;

	pthread_mutex_lock(&mailbox.lock);
	open = !mailbox.closed;
#ifdef FIXED
	if (open)
		mailbox.letters++;
#endif
	pthread_mutex_unlock(&mailbox.lock);
	return open;
}

static void put(void)
{
	pthread_mutex_lock(&mailbox.lock);
	mailbox.letters++;
	pthread_mutex_unlock(&mailbox.lock);
}

static void *write_letter(void *arg)
{
	(void)arg;
	if (!is_open())
		return NULL;
#ifndef FIXED
	put();
#else
	(void)put;
#endif
	return NULL;
}

static void *close_mailbox(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mailbox.lock);
	mailbox.closed = 1;
	mailbox.letters = 0;
	pthread_mutex_unlock(&mailbox.lock);
	return NULL;
}

int main(void)
{
	const pthread_t writer = start(write_letter, NULL), closer = start_late(close_mailbox, NULL, 2);

	join(writer);
	join(closer);
	if (mailbox.letters)
		fail("a letter is left");
	return 0;
}
