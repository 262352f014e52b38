/*
 * gen_ok_gmutex: a type that a GMutex guards.
 *
 * Answer: nothing is found.
 */
#include "gen_ok_gmutex.h"

#include <glib.h>
#include <string.h>

struct gen_history {
	GMutex lock;
	GQueue lines;
	size_t most, length;
};

struct gen_history *gen_history_new(size_t n_lines)
{
	struct gen_history *history = g_new0(struct gen_history, 1);

	g_mutex_init(&history->lock);
	g_queue_init(&history->lines);
	history->most = MAX(n_lines, 1);
	return history;
}

static bool drop_oldest(struct gen_history *history)
{
	char *line = g_queue_pop_head(&history->lines);

	if (!line)
		return false;
	history->length -= strlen(line);
	g_free(line);
	return true;
}

void gen_history_free(struct gen_history *history)
{
	gen_history_clear(history);
	g_mutex_clear(&history->lock);
	g_free(history);
}

void gen_history_add(struct gen_history *history, const char *line)
{
	g_mutex_lock(&history->lock);
	if (g_queue_get_length(&history->lines) == history->most)
		drop_oldest(history);
	g_queue_push_tail(&history->lines, g_strdup(line));
	history->length += strlen(line);
	g_mutex_unlock(&history->lock);
}

bool gen_history_contains(struct gen_history *history, const char *line)
{
	bool found;

	g_mutex_lock(&history->lock);
	found = g_queue_find_custom(&history->lines, line, (GCompareFunc)strcmp);
	g_mutex_unlock(&history->lock);
	return found;
}

bool gen_history_drop(struct gen_history *history)
{
	bool dropped;

	g_mutex_lock(&history->lock);
	dropped = drop_oldest(history);
	g_mutex_unlock(&history->lock);
	return dropped;
}

void gen_history_clear(struct gen_history *history)
{
	g_mutex_lock(&history->lock);
	while (drop_oldest(history))
		;
	g_assert(history->length == 0);
	g_mutex_unlock(&history->lock);
}

size_t gen_history_length(struct gen_history *history)
{
	size_t length;

	g_mutex_lock(&history->lock);
	length = history->length;
	g_mutex_unlock(&history->lock);
	return length;
}
