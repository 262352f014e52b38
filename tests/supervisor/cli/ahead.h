/* ahead.h - a clock that jumps, so that a test of a budget depends neither on time nor on how busy the machine is. */
#ifndef AHEAD_H
#define AHEAD_H

/* Before the campaign: two of its runs may move its clock, so that it is this many seconds ahead. */
void ahead_begin(long first, long second);
/* In a run: moves the campaign's clock, and never returns. So the campaign kills the run if a deadline has passed. */
void ahead_forever(void) __attribute__((noreturn));

#endif
