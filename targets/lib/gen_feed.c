/*
 * gen_feed: a buffer that grows beside a reader. Only a call with a file that can be read shows the bug.
 *
 * Answer: gen_feed_read() fills the buffer without the lock, so the buffer of a thread may be freed while it reads.
 * Twin: holds the lock.
 */
#include "gen_feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define PART 16

struct gen_feed {
	pthread_mutex_t lock;
	char *bytes;
	size_t length;
};

struct gen_feed *gen_feed_new(void)
{
	struct gen_feed *feed = calloc(1, sizeof(*feed));

	if (feed)
		pthread_mutex_init(&feed->lock, NULL);
	return feed;
}

void gen_feed_free(struct gen_feed *feed)
{
	pthread_mutex_destroy(&feed->lock);
	free(feed->bytes);
	free(feed);
}

static long read_part(struct gen_feed *feed, int fd)
{
	char part[PART];
	ssize_t n = read(fd, part, sizeof(part));
	char *more;

	if (n < 0)
		return -1;
	more = realloc(feed->bytes, feed->length + (size_t)n + 1);
	if (!more)
		return -1;
	feed->bytes = more;
	for (ssize_t i = 0; i < n; i++)
		feed->bytes[feed->length++] = part[i];
	return (long)feed->length;
}

long gen_feed_read(struct gen_feed *feed, int fd)
{
	long length;

#ifdef FIXED
	pthread_mutex_lock(&feed->lock);
#endif
	length = read_part(feed, fd);
#ifdef FIXED
	pthread_mutex_unlock(&feed->lock);
#endif
	return length;
}

size_t gen_feed_length(struct gen_feed *feed)
{
	size_t n;

	pthread_mutex_lock(&feed->lock);
	n = feed->length;
	pthread_mutex_unlock(&feed->lock);
	return n;
}
