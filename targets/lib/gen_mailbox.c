/*
 * gen_mailbox: a list of messages with an eventfd, which stays open as long as the object.
 *
 * Answer: gen_mailbox_take() looks for the oldest message in one locked section and removes it in another. Two calls of
 * it at the same time remove and free the same message. Twin: one locked section.
 *
 * A process with such an object has an open file, so rfsup cannot copy it. Each execution makes the object again.
 */
#include "gen_mailbox.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct message {
	struct message *next;
	unsigned char text;
};

struct gen_mailbox {
	pthread_mutex_t lock;
	struct message *first, **end;
	int event; /* counts the messages */
};

struct gen_mailbox *gen_mailbox_new(void)
{
	struct gen_mailbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->event = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE | EFD_CLOEXEC);
	if (box->event < 0) {
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	box->end = &box->first;
	return box;
}

void gen_mailbox_free(struct gen_mailbox *box)
{
	while (gen_mailbox_take(box) >= 0)
		;
	close(box->event);
	pthread_mutex_destroy(&box->lock);
	free(box);
}

void gen_mailbox_put(struct gen_mailbox *box, unsigned char text)
{
	struct message *message = calloc(1, sizeof(*message));

	if (!message)
		return;
	message->text = text;
	pthread_mutex_lock(&box->lock);
	*box->end = message;
	box->end = &message->next;
	(void)!write(box->event, &(uint64_t){1}, sizeof(uint64_t));
	pthread_mutex_unlock(&box->lock);
}

int gen_mailbox_take(struct gen_mailbox *box)
{
	struct message *message;
	uint64_t count;
	int text = -1;

	pthread_mutex_lock(&box->lock);
	message = box->first;
#ifndef FIXED
	pthread_mutex_unlock(&box->lock);
	pthread_mutex_lock(&box->lock);
#endif
	if (message) {
		text = message->text;
		box->first = message->next;
		if (!box->first)
			box->end = &box->first;
		(void)!read(box->event, &count, sizeof(count));
		free(message);
	}
	pthread_mutex_unlock(&box->lock);
	return text;
}
