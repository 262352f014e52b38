/*
 * gen_ok_room: a counter with a mutex. One function frees the object, which its name does not say.
 *
 * Answer: no bug. rfsup finds out that no method works after gen_room_pull_down().
 */
#include "gen_ok_room.h"

#include <pthread.h>
#include <stdlib.h>

struct gen_room {
	pthread_mutex_t lock;
	size_t n;
};

struct gen_room *gen_room_new(void)
{
	struct gen_room *room = calloc(1, sizeof(*room));

	if (room)
		pthread_mutex_init(&room->lock, NULL);
	return room;
}

void gen_room_enter(struct gen_room *room)
{
	pthread_mutex_lock(&room->lock);
	room->n++;
	pthread_mutex_unlock(&room->lock);
}

size_t gen_room_count(struct gen_room *room)
{
	size_t n;

	pthread_mutex_lock(&room->lock);
	n = room->n;
	pthread_mutex_unlock(&room->lock);
	return n;
}

void gen_room_pull_down(struct gen_room *room)
{
	pthread_mutex_destroy(&room->lock);
	free(room);
}
