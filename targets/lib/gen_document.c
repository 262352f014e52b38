/*
 * gen_document: a serialiser that marks visited objects in place.
 *
 * Answer: writing marks the items that are open, and takes the lock as a reader, because it changes no value. Two
 * threads that write at the same time see each other's marks, and the check for cycles aborts.
 * Twin: writing takes the lock as a writer.
 */
#include "gen_document.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	struct item *below, *next;
	bool open; /* it is being written */
	int value;
	char name[];
};

struct gen_document {
	pthread_rwlock_t lock;
	struct item *top;
};

struct text {
	char *out;
	size_t size, length;
};

static struct item *item_new(const char *name, int value)
{
	struct item *item = calloc(1, sizeof(*item) + strlen(name) + 1);

	if (item) {
		item->value = value;
		strcpy(item->name, name);
	}
	return item;
}

static void item_free(struct item *item)
{
	while (item) {
		struct item *next = item->next;

		item_free(item->below);
		free(item);
		item = next;
	}
}

static struct item *find(struct item *item, const char *name)
{
	struct item *found = NULL;

	for (; item && !found; item = item->next)
		found = strcmp(item->name, name) == 0 ? item : find(item->below, name);
	return found;
}

struct gen_document *gen_document_new(void)
{
	struct gen_document *document = calloc(1, sizeof(*document));

	if (document) {
		pthread_rwlock_init(&document->lock, NULL);
		document->top = item_new("", 0);
	}
	return document;
}

void gen_document_free(struct gen_document *document)
{
	item_free(document->top);
	pthread_rwlock_destroy(&document->lock);
	free(document);
}

bool gen_document_add(struct gen_document *document, const char *parent, const char *name, int value)
{
	struct item *item = item_new(name, value), *above;

	pthread_rwlock_wrlock(&document->lock);
	above = find(document->top, parent);
	if (above && item) {
		item->next = above->below;
		above->below = item;
	}
	pthread_rwlock_unlock(&document->lock);
	if (!above)
		free(item);
	return above && item;
}

bool gen_document_set(struct gen_document *document, const char *name, int value)
{
	struct item *item;

	pthread_rwlock_wrlock(&document->lock);
	item = find(document->top, name);
	if (item)
		item->value = value;
	pthread_rwlock_unlock(&document->lock);
	return item;
}

static void put(struct text *text, const char *word)
{
	for (; *word; word++, text->length++)
		if (text->length + 1 < text->size)
			text->out[text->length] = *word;
}

static void write_item(struct item *item, struct text *text)
{
	char number[16];

	assert(!item->open); /* each item has one parent, so there are no cycles */
	item->open = true;
	snprintf(number, sizeof(number), "=%d", item->value);
	put(text, item->name);
	put(text, number);
	if (item->below) {
		put(text, " {");
		for (struct item *below = item->below; below; below = below->next) {
			put(text, " ");
			write_item(below, text);
		}
		put(text, " }");
	}
	item->open = false;
}

size_t gen_document_write(struct gen_document *document, char *out, size_t size)
{
	struct text text = {out, size, 0};

#ifdef FIXED
	pthread_rwlock_wrlock(&document->lock);
#else
	pthread_rwlock_rdlock(&document->lock);
#endif
	write_item(document->top, &text);
	pthread_rwlock_unlock(&document->lock);
	if (size)
		out[text.length < size ? text.length : size - 1] = '\0';
	return text.length;
}
