/* gen_ok_room.h - how many people are in a room. All functions but the last one may be called from any thread. */
#ifndef GEN_OK_ROOM_H
#define GEN_OK_ROOM_H

#include <stddef.h>

struct gen_room;

struct gen_room *gen_room_new(void);
void gen_room_enter(struct gen_room *room);
size_t gen_room_count(struct gen_room *room);
/* Ends the room's life. */
void gen_room_pull_down(struct gen_room *room);

#endif
