/*
 * gen_label: a text whose parts belong to different calls.
 *
 * Answer: gen_label_set() sets the two parts in two locked sections. A copy between them, or two calls of it at the
 * same time, have parts of two texts. Nothing fails. Twin: one locked section.
 */
#include "gen_label.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 4

struct gen_label {
	pthread_mutex_t lock;
	char text[32]; /* two parts of PART characters */
};

struct gen_label *gen_label_new(void)
{
	struct gen_label *label = calloc(1, sizeof(*label));

	if (label) {
		pthread_mutex_init(&label->lock, NULL);
		strcpy(label->text, "a000b000");
	}
	return label;
}

void gen_label_free(struct gen_label *label)
{
	pthread_mutex_destroy(&label->lock);
	free(label);
}

void gen_label_set(struct gen_label *label, unsigned char number)
{
	char text[2 * PART + 1];

	snprintf(text, sizeof(text), "a%03ub%03u", number, number);
	pthread_mutex_lock(&label->lock);
	memcpy(label->text, text, PART);
#ifndef FIXED
	pthread_mutex_unlock(&label->lock);
	pthread_mutex_lock(&label->lock);
#endif
	memcpy(label->text + PART, text + PART, PART);
	pthread_mutex_unlock(&label->lock);
}

void gen_label_copy(struct gen_label *label, char *buffer)
{
	pthread_mutex_lock(&label->lock);
	strcpy(buffer, label->text);
	pthread_mutex_unlock(&label->lock);
}

const char *gen_label_check(const struct gen_label *label)
{
	struct gen_label *locked = (struct gen_label *)label;
	int differs;

	pthread_mutex_lock(&locked->lock);
	differs = memcmp(label->text + 1, label->text + PART + 1, PART - 1);
	pthread_mutex_unlock(&locked->lock);
	return differs ? "torn" : "whole";
}
