/*
 * stores.c - a thread stores and loads at random places of a buffer, with many sizes and kinds of instructions, while
 * another thread stores elsewhere in it. What the first thread loads must be what it has stored, whichever of its
 * stores are delayed, and at the end nothing may be lost. Each thread has every second block of 64 bytes; a word of
 * each thread is read by the other, so that delays matter. Prints "done", or what was wrong.
 *
 *     ./stores SEED ROUNDS
 */
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4
#define BYTES 64

static unsigned char shared[2 * BLOCKS][BYTES] __attribute__((aligned(64)));
static long rounds, seen;
static uint64_t first_seed;

struct worker {
	int me;
	uint64_t random;
	unsigned char expected[BLOCKS][BYTES];
};

static unsigned draw(struct worker *w, unsigned n)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(w->random >> 33) % n;
}

static void wrong(const char *what, int block, unsigned at)
{
	fprintf(stderr, "FAIL: %s at %d.%u\n", what, block, at);
	abort();
}

/* Stores n bytes of `value` in both memories; the compiler must not merge or move the stores. */
#define PLAIN(type)                                                                                                    \
	do {                                                                                                           \
		type v = (type)(value * 0x0101010101010101u);                                                          \
		*(volatile type *)to = v;                                                                              \
		memcpy(mirror, &v, sizeof(v));                                                                         \
	} while (0)

typedef uint64_t loose64 __attribute__((aligned(1), may_alias));
typedef uint32_t loose32 __attribute__((aligned(1), may_alias));
typedef uint16_t loose16 __attribute__((aligned(1), may_alias));

static void store(struct worker *w, unsigned char *to, unsigned char *mirror, unsigned kind, unsigned value)
{
	__m128i vector = _mm_set1_epi8((char)value);
	uint64_t old;

	switch (kind) {
	case 0:
		PLAIN(uint8_t);
		break;
	case 1:
		PLAIN(loose16);
		break;
	case 2:
		PLAIN(loose32);
		break;
	case 3:
		PLAIN(loose64);
		break;
	case 4:
		__asm__ volatile("movdqu %1, %0" : "=m"(*(char(*)[16])to) : "x"(vector));
		memset(mirror, (int)value, 16);
		break;
	case 5: /* a read-modify-write without lock prefix */
		__asm__ volatile("addl %1, %0" : "+m"(*(loose32 *)to) : "r"(value) : "cc");
		memcpy(&old, mirror, 4);
		old += value;
		memcpy(mirror, &old, 4);
		break;
	case 6: /* with lock prefix: all stores become visible */
		__asm__ volatile("lock xorb %1, %0" : "+m"(*to) : "q"((unsigned char)value) : "cc");
		*mirror ^= (unsigned char)value;
		break;
	case 7: /* non-temporal */
		__asm__ volatile("movnti %1, %0" : "=m"(*(loose32 *)to) : "r"(value));
		memcpy(mirror, &value, 4);
		break;
	case 8: { /* rep stosb */
		void *at = to;
		long n = 7;

		__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(value) : "memory");
		memset(mirror, (int)value, 7);
		break;
	}
	case 9: { /* movsq: a load and a store */
		const unsigned char *from = shared[2 * (BLOCKS - 1) + w->me];
		void *at = to;

		memcpy(&old, w->expected[BLOCKS - 1], 8);
		__asm__ volatile("movsq" : "+D"(at), "+S"(from) : : "memory");
		memcpy(mirror, &old, 8);
		break;
	}
	default:
		memset(to, (int)value, 13);
		memset(mirror, (int)value, 13);
		break;
	}
}

static void load(struct worker *w, const unsigned char *from, const unsigned char *mirror, unsigned kind)
{
	__m128i vector;
	unsigned char bytes[16];
	uint64_t value = 0;
	unsigned n = 1u << kind;

	(void)w;
	switch (kind) {
	case 0:
		value = *(volatile const uint8_t *)from;
		break;
	case 1:
		value = *(volatile const loose16 *)from;
		break;
	case 2:
		value = *(volatile const loose32 *)from;
		break;
	case 3:
		value = *(volatile const loose64 *)from;
		break;
	default:
		__asm__ volatile("movdqu %1, %0" : "=x"(vector) : "m"(*(const char(*)[16])from));
		memcpy(bytes, &vector, 16);
		if (memcmp(bytes, mirror, 16) != 0)
			wrong("load of 16 bytes", kind, 0);
		return;
	}
	if (memcmp(&value, mirror, n) != 0)
		wrong("load", (int)kind, (unsigned)value);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (long i = 0; i < rounds; i++) {
		int block = (int)draw(w, BLOCKS);
		unsigned char *memory = shared[2 * block + w->me], *mirror = w->expected[block];
		unsigned at = draw(w, BYTES - 16);

		if (draw(w, 3) == 0)
			load(w, memory + at, mirror + at, draw(w, 5));
		else
			store(w, memory + at, mirror + at, draw(w, 11), draw(w, 256));
		/* the other thread's memory: any value will do */
		seen += *(volatile unsigned char *)shared[!w->me];
	}
	for (int block = 0; block < BLOCKS; block++)
		for (unsigned at = 0; at < BYTES; at++)
			if (shared[2 * block + w->me][at] != w->expected[block][at])
				wrong("before the end", block, at);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[2];
	pthread_t threads[2];

	first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	rounds = argc > 2 ? atol(argv[2]) : 20;
	for (int i = 0; i < 2; i++) {
		workers[i].me = i;
		workers[i].random = first_seed * 2 + (unsigned)i;
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		for (int block = 0; block < BLOCKS; block++)
			if (memcmp(shared[2 * block + i], workers[i].expected[block], BYTES) != 0)
				wrong("at the end", block, 0);
	puts("done");
	return 0;
}
