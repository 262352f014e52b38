/*
 * second_frees: two producers and a consumer share a channel in one block. The last producer and the consumer exchange
 * a flag when they are done, and the second of them frees the block. If the last producer comes first, it writes
 * to the block once more.
 *
 * Answer: that write races with the free. No other pair is predicted, because whoever frees the block has learnt by the
 * exchange that all others are done.
 * Twin: the write comes before the exchange, and no pair is predicted.
 *
 * second_frees_plain has another fault: the flag is read and set with a plain load and a plain store.
 */
#include "target.h"

struct channel {
	long sent[2], taken, closed;
	int producers;
	unsigned char done;
};

__attribute__((noinline)) static int is_second(struct channel *channel)
{
#ifdef PLAIN_FLAG
	unsigned char was = channel->done; /* RACE: check */

	channel->done = 1; /* RACE: set */
	return was;
#else
	return __atomic_exchange_n(&channel->done, 1, __ATOMIC_ACQ_REL); /* RACE: check set */
#endif
}

/* Whether this call has freed the channel. */
__attribute__((noinline)) static int leave(struct channel *channel)
{
	if (!is_second(channel))
		return 0;
	free(channel); /* RACE: free */
	return 1;
}

static void send(struct channel *channel, int i)
{
	channel->sent[i] = i + 1; /* RACE: send */
	if (__atomic_sub_fetch(&channel->producers, 1, __ATOMIC_ACQ_REL) != 0)
		return;
#if defined(FIXED) || defined(PLAIN_FLAG)
	channel->closed = 1; /* RACE: close */
	leave(channel);
#else
	if (!leave(channel))
		channel->closed = 1; /* RACE: close */
#endif
}

static void *first_producer(void *arg)
{
	send(arg, 0);
	return NULL;
}

static void *second_producer(void *arg)
{
	send(arg, 1);
	return NULL;
}

static void *consumer(void *arg)
{
	struct channel *channel = arg;

	channel->taken = 3; /* RACE: take */
	leave(channel);
	return NULL;
}

int main(void)
{
	struct channel *channel = calloc(1, sizeof(*channel));
	pthread_t first, second, third;

	channel->producers = 2;
	first = start(first_producer, channel);
	second = start(second_producer, channel);
	third = start_late(consumer, channel, 2);
	join(first);
	join(second);
	join(third);
	puts("closed");
	return 0;
}
