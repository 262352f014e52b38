/*
 * litmus.h - litmus tests: tiny programs, of which it is published what x86 processors can do. The same table serves
 * the model machine, a reference that executes all of x86-TSO's transitions, and the real program targets/litmus.c.
 *
 * Sources: Owens, Sarkar and Sewell, A Better x86 Memory Model: x86-TSO, TPHOLs 2009, sections 2 and 4 (SB, n6, n5,
 * n4b, iwp2.3.b, IRIW); Intel, Software Developer's Manual, volume 3A, section 8.2.3 (MP, LB, SB, WRC, 2+2W, locked and
 * fenced forms); Sarkar et al., Understanding POWER Multiprocessors, PLDI 2011, figure 3 (R, S, RWC, 2+2W by these
 * names).
 */
#ifndef RFS_TEST_LITMUS_H
#define RFS_TEST_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITMUS_THREADS 4
#define LITMUS_OPS 6
#define LITMUS_REGISTERS 3 /* of each thread */
#define LITMUS_WORDS 2	   /* x and y */

enum litmus_code {
	L_END,
	L_STORE, /* word = value */
	L_LOAD,	 /* reg = word */
	L_FENCE,
	L_LOCKED, /* word += 1 in one locked operation */
};

struct litmus_op {
	enum litmus_code code;
	int word, value, reg;
};

/* One final state: the registers of all threads, thread by thread, then the words. */
struct litmus_state {
	unsigned char values[LITMUS_THREADS * LITMUS_REGISTERS + LITMUS_WORDS];
};

struct litmus {
	const char *name;
	bool allowed; /* the published verdict on `state` */
	struct litmus_op ops[LITMUS_THREADS][LITMUS_OPS];
	const char *state; /* such as "0:0=1 1:1=0 x=2": registers by thread, and words */
};

extern const struct litmus litmus_tests[];
extern const size_t n_litmus_tests;

size_t litmus_threads(const struct litmus *test);
/* Whether the state has the values that the test's line asks for. */
bool litmus_is_state(const struct litmus *test, const struct litmus_state *state);

struct litmus_states {
	struct litmus_state *list; /* all different */
	size_t n;
};

/* Returns true if the state is new. */
bool litmus_states_add(struct litmus_states *states, const struct litmus_state *state);
bool litmus_states_has(const struct litmus_states *states, const struct litmus_state *state);
/* All final states. tso: of the abstract machine of the TPHOLs paper, section 3; otherwise of sequential consistency.
 */
void litmus_all(const struct litmus *test, bool tso, struct litmus_states *out);

#endif
