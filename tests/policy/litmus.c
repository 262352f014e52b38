#include "tests/policy/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y };

#define W(word, value)                                                                                                 \
	{                                                                                                              \
		L_STORE, word, value, 0                                                                                \
	}
#define R(reg, word)                                                                                                   \
	{                                                                                                              \
		L_LOAD, word, 0, reg                                                                                   \
	}
#define F                                                                                                              \
	{                                                                                                              \
		L_FENCE, 0, 0, 0                                                                                       \
	}
#define A(word)                                                                                                        \
	{                                                                                                              \
		L_LOCKED, word, 0, 0                                                                                   \
	}

const struct litmus litmus_tests[] = {
	{"SB", true, {{W(X, 1), R(0, Y)}, {W(Y, 1), R(0, X)}}, "0:0=0 1:0=0"},
	{"SB+mfences", false, {{W(X, 1), F, R(0, Y)}, {W(Y, 1), F, R(0, X)}}, "0:0=0 1:0=0"},
	{"SB+mfence+po", true, {{W(X, 1), F, R(0, Y)}, {W(Y, 1), R(0, X)}}, "0:0=0 1:0=0"},
	{"SB+locked", false, {{A(X), R(0, Y)}, {A(Y), R(0, X)}}, "0:0=0 1:0=0"},
	{"MP", false, {{W(X, 1), W(Y, 1)}, {R(0, Y), R(1, X)}}, "1:0=1 1:1=0"},
	{"LB", false, {{R(0, X), W(Y, 1)}, {R(0, Y), W(X, 1)}}, "0:0=1 1:0=1"},
	{"IRIW", false, {{W(X, 1)}, {W(Y, 1)}, {R(0, X), R(1, Y)}, {R(0, Y), R(1, X)}}, "2:0=1 2:1=0 3:0=1 3:1=0"},
	{"2+2W", false, {{W(X, 1), W(Y, 2)}, {W(Y, 1), W(X, 2)}}, "x=1 y=1"},
	{"R", true, {{W(X, 1), W(Y, 1)}, {W(Y, 2), R(0, X)}}, "1:0=0 y=2"},
	{"R+po+mfence", false, {{W(X, 1), W(Y, 1)}, {W(Y, 2), F, R(0, X)}}, "1:0=0 y=2"},
	{"S", false, {{W(X, 2), W(Y, 1)}, {R(0, Y), W(X, 1)}}, "1:0=1 x=2"},
	{"n6", true, {{W(X, 1), R(0, X), R(1, Y)}, {W(Y, 1), W(X, 2)}}, "0:0=1 0:1=0 x=1"},
	{"n5", false, {{W(X, 1), R(0, X)}, {W(X, 2), R(0, X)}}, "0:0=2 1:0=1"},
	{"n4b", false, {{R(0, X), W(X, 1)}, {R(0, X), W(X, 2)}}, "0:0=2 1:0=1"},
	/* each thread reads its own store early */
	{"iwp2.4", true, {{W(X, 1), R(0, X), R(1, Y)}, {W(Y, 1), R(0, Y), R(1, X)}}, "0:0=1 0:1=0 1:0=1 1:1=0"},
	{"WRC", false, {{W(X, 1)}, {R(0, X), W(Y, 1)}, {R(0, Y), R(1, X)}}, "1:0=1 2:0=1 2:1=0"},
	{"RWC", true, {{W(X, 1)}, {R(0, X), R(1, Y)}, {W(Y, 1), R(0, X)}}, "1:0=1 1:1=0 2:0=0"},
	{"CoRR", false, {{W(X, 1)}, {R(0, X), R(1, X)}}, "1:0=1 1:1=0"},
};
const size_t n_litmus_tests = sizeof(litmus_tests) / sizeof(*litmus_tests);

size_t litmus_threads(const struct litmus *test)
{
	size_t n = 0;

	while (n < LITMUS_THREADS && test->ops[n][0].code != L_END)
		n++;
	return n;
}

bool litmus_is_state(const struct litmus *test, const struct litmus_state *state)
{
	int thread, reg, value, length;
	char word;

	for (const char *at = test->state; *at; at += length) {
		int index;

		if (sscanf(at, "%d:%d=%d%n", &thread, &reg, &value, &length) == 3)
			index = thread * LITMUS_REGISTERS + reg;
		else if (sscanf(at, " %c=%d%n", &word, &value, &length) == 2)
			index = LITMUS_THREADS * LITMUS_REGISTERS + (word - 'x');
		else
			abort();
		if (state->values[index] != value)
			return false;
	}
	return true;
}

bool litmus_states_has(const struct litmus_states *states, const struct litmus_state *state)
{
	for (size_t i = 0; i < states->n; i++)
		if (memcmp(&states->list[i], state, sizeof(*state)) == 0)
			return true;
	return false;
}

bool litmus_states_add(struct litmus_states *states, const struct litmus_state *state)
{
	if (litmus_states_has(states, state))
		return false;
	states->list = realloc(states->list, (states->n + 1) * sizeof(*states->list));
	if (!states->list)
		abort();
	states->list[states->n++] = *state;
	return true;
}

/* ---- the reference: every transition of the abstract machine, by depth-first search ---- */

struct reference {
	const struct litmus *test;
	bool tso;
	struct litmus_state now; /* registers, and memory */
	int pc[LITMUS_THREADS];
	struct {
		int n, words[LITMUS_OPS], values[LITMUS_OPS];
	} buffers[LITMUS_THREADS];
};

static void search(const struct reference *from, struct litmus_states *out);

static unsigned char *word_of(struct reference *state, int word)
{
	return &state->now.values[LITMUS_THREADS * LITMUS_REGISTERS + word];
}

static void flush_one(const struct reference *from, int thread, struct litmus_states *out)
{
	struct reference next = *from;

	*word_of(&next, next.buffers[thread].words[0]) = (unsigned char)next.buffers[thread].values[0];
	next.buffers[thread].n--;
	for (int i = 0; i < next.buffers[thread].n; i++) {
		next.buffers[thread].words[i] = next.buffers[thread].words[i + 1];
		next.buffers[thread].values[i] = next.buffers[thread].values[i + 1];
	}
	search(&next, out);
}

static void execute_one(const struct reference *from, int thread, struct litmus_states *out)
{
	const struct litmus_op *op = &from->test->ops[thread][from->pc[thread]];
	struct reference next = *from;
	int n = from->buffers[thread].n;
	unsigned char value;

	next.pc[thread]++;
	switch (op->code) {
	case L_STORE:
		if (!from->tso) {
			*word_of(&next, op->word) = (unsigned char)op->value;
			break;
		}
		next.buffers[thread].words[n] = op->word;
		next.buffers[thread].values[n] = op->value;
		next.buffers[thread].n++;
		break;
	case L_LOAD:
		value = *word_of(&next, op->word);
		for (int i = 0; i < n; i++)
			if (from->buffers[thread].words[i] == op->word)
				value = (unsigned char)from->buffers[thread].values[i];
		next.now.values[thread * LITMUS_REGISTERS + op->reg] = value;
		break;
	case L_LOCKED:
		if (n)
			return; /* it waits until the buffer is empty */
		++*word_of(&next, op->word);
		break;
	case L_FENCE:
		if (n)
			return;
		break;
	case L_END:
		return;
	}
	search(&next, out);
}

static void search(const struct reference *from, struct litmus_states *out)
{
	bool ended = true;

	for (int t = 0; t < LITMUS_THREADS; t++) {
		if (from->buffers[t].n)
			flush_one(from, t, out);
		if (from->test->ops[t][from->pc[t]].code != L_END)
			execute_one(from, t, out);
		ended = ended && !from->buffers[t].n && from->test->ops[t][from->pc[t]].code == L_END;
	}
	if (ended)
		(void)litmus_states_add(out, &from->now);
}

void litmus_all(const struct litmus *test, bool tso, struct litmus_states *out)
{
	struct reference start = {.test = test, .tso = tso};

	*out = (struct litmus_states){0};
	search(&start, out);
}
