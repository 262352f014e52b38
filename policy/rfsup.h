/*
 * rfsup.h - marks in a program that rfsup(1) understands. They do nothing, and cost a nop, if rfsup is not there.
 *
 *     RFSUP_POINT();              a thread may be switched here, whatever --points says
 *     RFSUP_ASSERT(condition);    rfsup may switch threads here; then the condition must hold, or the program aborts
 *     RFSUP_REGION_BEGIN();       races are predicted only between accesses of threads that are inside a region, if the
 *     RFSUP_REGION_END();         program has any region; regions may be nested, and a thread leaves what it entered
 *
 * Each mark is a nop, and a note in the section .note.rfsup that says where the nop is; the section is not loaded. The
 * condition of RFSUP_ASSERT is out of the way of the program and is evaluated only under rfsup, so it must have no
 * side effects. A failed condition is a finding of rfsup like any other crash, with a record that replays it.
 *
 * For gcc and clang, in C and C++, on x86-64. Programs that use the marks need no library.
 */
#ifndef RFSUP_H
#define RFSUP_H

#include <stdio.h>
#include <stdlib.h>

/* Elf64_Nhdr: sizes of name and description, kind; the name "rfsup"; the nop, and where to go instead or 0. */
#define RFSUP_NOTE(kind, target)                                                                                       \
	"990:	nop\n"                                                                                                   \
	"	.pushsection .note.rfsup,\"?\",\"note\"\n"                                                                   \
	"	.balign 4\n"                                                                                                 \
	"	.4byte 6, 16, " kind "\n"                                                                              \
	"	.asciz \"rfsup\"\n"                                                                                          \
	"	.balign 4\n"                                                                                                 \
	"	.8byte 990b, " target "\n"                                                                             \
	"	.popsection\n"

#define RFSUP_MARK(kind) __asm__ volatile(RFSUP_NOTE(kind, "0") : : : "memory")
#define RFSUP_POINT() RFSUP_MARK("1")
#define RFSUP_REGION_BEGIN() RFSUP_MARK("3")
#define RFSUP_REGION_END() RFSUP_MARK("4")

__attribute__((cold, noinline, noreturn, unused)) static void rfsup_assertion_failed(const char *condition,
										     const char *file, int line)
{
	fprintf(stderr, "%s:%d: RFSUP_ASSERT(%s) failed\n", file, line, condition);
	abort();
}

/* The barrier makes the condition see memory as it is, also what the compiler keeps in registers otherwise. */
#define RFSUP_ASSERT(condition)                                                                                        \
	do {                                                                                                           \
		__label__ rfsup_check, rfsup_on;                                                                       \
		__asm__ goto(RFSUP_NOTE("2", "%l[rfsup_check]") : : : : rfsup_check);                                  \
		goto rfsup_on;                                                                                         \
	rfsup_check:                                                                                                   \
		__asm__ volatile("" : : : "memory");                                                                   \
		if (!(condition))                                                                                      \
			rfsup_assertion_failed(#condition, __FILE__, __LINE__);                                        \
	rfsup_on:;                                                                                                     \
	} while (0)

#endif
