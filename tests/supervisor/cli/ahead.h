/* ahead.h - a clock that runs ahead, so that a test of a budget depends neither on time nor on how busy the machine is.
 */
#ifndef AHEAD_H
#define AHEAD_H

/* Before the campaign: its runs may move its clock. */
void ahead_begin(void);
/*
 * In a run: never returns. As long as the run exists, each look of the campaign at its clock takes a second. So the
 * campaign soon kills the run.
 */
void ahead_forever(void) __attribute__((noreturn));

#endif
