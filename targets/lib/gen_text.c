/*
 * gen_text: a string cache that is handed out and rebuilt.
 *
 * Answer: whole() builds the whole string with the lock held, and returns it after it has released the lock. If another
 * thread appends a piece then, the string is freed before it is read.
 * Twin: the callers of whole() hold the lock until they have read the string.
 */
#include "gen_text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	struct piece *next;
	char bytes[];
};

struct whole {
	char *bytes;
	size_t length;
};

struct gen_text {
	pthread_mutex_t lock;
	struct piece *first, **last;
	size_t length;
	struct whole *whole; /* of all pieces; NULL: a piece was added since it was built */
};

static void lock(struct gen_text *text)
{
	pthread_mutex_lock(&text->lock);
}

static void unlock(struct gen_text *text)
{
	pthread_mutex_unlock(&text->lock);
}

static void drop_whole(struct gen_text *text)
{
	if (text->whole)
		free(text->whole->bytes);
	free(text->whole);
	text->whole = NULL;
}

static struct whole *build(const struct gen_text *text)
{
	struct whole *whole = malloc(sizeof(*whole));
	char *end;

	whole->length = text->length;
	whole->bytes = end = malloc(text->length + 1);
	*end = '\0';
	for (const struct piece *piece = text->first; piece; piece = piece->next)
		end = stpcpy(end, piece->bytes);
	return whole;
}

static const struct whole *whole(struct gen_text *text)
{
	const struct whole *built;

#ifndef FIXED
	lock(text);
#endif
	if (!text->whole)
		text->whole = build(text);
	built = text->whole;
#ifndef FIXED
	unlock(text);
#endif
	return built;
}

struct gen_text *gen_text_new(const char *start)
{
	struct gen_text *text = calloc(1, sizeof(*text));

	if (text) {
		pthread_mutex_init(&text->lock, NULL);
		text->last = &text->first;
		gen_text_append(text, start);
	}
	return text;
}

void gen_text_free(struct gen_text *text)
{
	while (text->first) {
		struct piece *piece = text->first;

		text->first = piece->next;
		free(piece);
	}
	drop_whole(text);
	pthread_mutex_destroy(&text->lock);
	free(text);
}

void gen_text_append(struct gen_text *text, const char *bytes)
{
	struct piece *piece = malloc(sizeof(*piece) + strlen(bytes) + 1);

	piece->next = NULL;
	strcpy(piece->bytes, bytes);
	lock(text);
	*text->last = piece;
	text->last = &piece->next;
	text->length += strlen(bytes);
	drop_whole(text);
	unlock(text);
}

void gen_text_append_number(struct gen_text *text, long number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%ld", number);
	gen_text_append(text, digits);
}

size_t gen_text_length(struct gen_text *text)
{
	size_t length;

	lock(text);
	length = text->length;
	unlock(text);
	return length;
}

bool gen_text_equals(struct gen_text *text, const char *other)
{
	bool equal;

#ifdef FIXED
	lock(text);
#endif
	equal = strcmp(whole(text)->bytes, other) == 0;
#ifdef FIXED
	unlock(text);
#endif
	return equal;
}

size_t gen_text_copy(struct gen_text *text, char *out, size_t size)
{
	const struct whole *all;
	size_t length;

#ifdef FIXED
	lock(text);
#endif
	all = whole(text);
	length = all->length;
	if (size) {
		size_t n = length < size ? length : size - 1;

		memcpy(out, all->bytes, n);
		out[n] = '\0';
	}
#ifdef FIXED
	unlock(text);
#endif
	return length;
}
