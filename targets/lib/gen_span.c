/*
 * gen_span: numbers with fractions, and a structure that is returned by value.
 *
 * Answer: gen_span_set() sets the two ends in two locked sections. The ends between them, or after two calls at the
 * same time, belong to two spans. Nothing fails. Twin: one locked section.
 */
#include "gen_span.h"

#include <pthread.h>
#include <stdlib.h>

struct gen_span {
	pthread_mutex_t lock;
	struct gen_ends ends;
};

struct gen_span *gen_span_new(void)
{
	struct gen_span *span = calloc(1, sizeof(*span));

	if (span) {
		pthread_mutex_init(&span->lock, NULL);
		span->ends.high = 0.5;
	}
	return span;
}

void gen_span_free(struct gen_span *span)
{
	pthread_mutex_destroy(&span->lock);
	free(span);
}

void gen_span_set(struct gen_span *span, unsigned char number)
{
	pthread_mutex_lock(&span->lock);
	span->ends.low = number;
#ifndef FIXED
	pthread_mutex_unlock(&span->lock);
	pthread_mutex_lock(&span->lock);
#endif
	span->ends.high = number + 0.5;
	pthread_mutex_unlock(&span->lock);
}

struct gen_ends gen_span_ends(struct gen_span *span)
{
	struct gen_ends ends;

	pthread_mutex_lock(&span->lock);
	ends = span->ends;
	pthread_mutex_unlock(&span->lock);
	return ends;
}

double gen_span_length(struct gen_span *span)
{
	double length;

	pthread_mutex_lock(&span->lock);
	length = span->ends.high - (double)span->ends.low;
	pthread_mutex_unlock(&span->lock);
	return length;
}
