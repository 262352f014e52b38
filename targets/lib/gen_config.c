/*
 * gen_config: a configuration that is loaded again while a message is logged.
 *
 * Answer: gen_config_log() reads the table of levels without the lock, because it is published atomically. The reload
 * frees the old table. So a message that is logged at the same time is compared with freed memory.
 * Twin: the level is looked up with the lock held.
 */
#include "gen_config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 8 /* messages */
#define LENGTH 64

struct setting {
	struct setting *next;
	int level;
	char *category;
};

struct table {
	size_t n;
	struct {
		char *category;
		int level;
	} rows[];
};

struct gen_config {
	pthread_mutex_t lock; /* of all but table */
	struct setting *settings;
	size_t n_settings, n_logged;
	char messages[KEPT][LENGTH];
	_Atomic(struct table *) table;
};

static struct table *build(const struct gen_config *config)
{
	struct table *table = malloc(sizeof(*table) + config->n_settings * sizeof(table->rows[0]));

	if (!table)
		abort();
	table->n = 0;
	for (const struct setting *s = config->settings; s; s = s->next) {
		table->rows[table->n].category = s->category;
		table->rows[table->n++].level = s->level;
	}
	return table;
}

struct gen_config *gen_config_new(void)
{
	struct gen_config *config = calloc(1, sizeof(*config));

	if (config) {
		pthread_mutex_init(&config->lock, NULL);
		atomic_init(&config->table, build(config));
	}
	return config;
}

void gen_config_free(struct gen_config *config)
{
	while (config->settings) {
		struct setting *setting = config->settings;

		config->settings = setting->next;
		free(setting->category);
		free(setting);
	}
	free(config->table);
	pthread_mutex_destroy(&config->lock);
	free(config);
}

void gen_config_set(struct gen_config *config, const char *category, int level)
{
	struct setting *setting;

	pthread_mutex_lock(&config->lock);
	for (setting = config->settings; setting; setting = setting->next)
		if (strcmp(setting->category, category) == 0)
			break;
	if (!setting) {
		setting = malloc(sizeof(*setting));
		*setting = (struct setting){config->settings, 0, strdup(category)};
		config->settings = setting;
		config->n_settings++;
	}
	setting->level = level;
	pthread_mutex_unlock(&config->lock);
}

void gen_config_reload(struct gen_config *config)
{
	pthread_mutex_lock(&config->lock);
	free(atomic_exchange(&config->table, build(config)));
	pthread_mutex_unlock(&config->lock);
}

/* The lowest level of this category that is logged. */
static int level_of(struct gen_config *config, const char *category)
{
	const struct table *table = atomic_load(&config->table);

	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->rows[i].category, category) == 0)
			return table->rows[i].level;
	return 0;
}

bool gen_config_log(struct gen_config *config, const char *category, int level, const char *message)
{
	bool wanted;

#ifndef FIXED
	wanted = level >= level_of(config, category);
#endif
	pthread_mutex_lock(&config->lock);
#ifdef FIXED
	wanted = level >= level_of(config, category);
#endif
	if (wanted)
		snprintf(config->messages[config->n_logged++ % KEPT], LENGTH, "%s: %s", category, message);
	pthread_mutex_unlock(&config->lock);
	return wanted;
}

size_t gen_config_logged(struct gen_config *config)
{
	size_t n;

	pthread_mutex_lock(&config->lock);
	n = config->n_logged;
	pthread_mutex_unlock(&config->lock);
	return n;
}
