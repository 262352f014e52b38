/* gen_desk.h - a desk with two trays and a note. All functions may be called from any thread. */
#ifndef GEN_DESK_H
#define GEN_DESK_H

#include <stddef.h>

struct gen_desk;

struct gen_desk *gen_desk_new(void);
void gen_desk_free(struct gen_desk *desk);

/* Adds a sheet to the first tray. */
void gen_desk_add(struct gen_desk *desk);
/* Moves all sheets of the first tray to the second one, and back. Both return how many were moved. */
size_t gen_desk_move(struct gen_desk *desk);
size_t gen_desk_return(struct gen_desk *desk);

/* Replaces the note. */
void gen_desk_write(struct gen_desk *desk, char first);
/* The first character of the note. */
char gen_desk_read(struct gen_desk *desk);

#endif
