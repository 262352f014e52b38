/*
 * stub_control.h - what stubs read and write besides records: the control block of a thread, and the filter.
 *
 * The filter drops accesses that a detector in two passes need not see. The stub asks a table before it writes a
 * record:
 *
 *     mov %rcx,%gs:SAVED
 *     lea 24(%rbx),%r10           the operand's address
 *     mov %gs:TABLE,%r11
 *     pext %gs:MASK,%r10,%rcx     the slot: some bits of the address
 *     …                           rcx becomes 0 if the access is dropped
 *     jrcxz drop
 *     jmp record                  at the end of the stub: the record, a second copy of the instruction, and a jump back
 *   drop:
 *     …                           counts the access and adds its address to a sum
 *     mov %gs:SAVED,%rcx
 *     mov 24(%rbx),%rax           the copy
 *
 * No instruction of this changes the flags. pext needs a processor with BMI2.
 *
 * RFS_FILTER_REPEATS drops an access if the thread has recorded one of the same bytes and kind in its present segment.
 * A slot has eight bytes, with the complement of a key: 8 * address + binary logarithm of the size + segment. Reads and
 * writes have separate slots. Bits 6 to 21 of the segment are added to bits 3 to 18 of the address. This is
 * unambiguous, because these bits are in each mask: only accesses that have them in common are compared. The other bits
 * of the segment are above all addresses.
 *
 * RFS_FILTER_PLACES drops an access if a slot of one byte is 0. Accesses longer than a granule have separate slots.
 *
 * The other stubs of this kind record nothing. They begin at a statement of the pair that has a breakpoint, and decide
 * whether its execution stops (RFS_STUB_PASS; stub_count.c). It passes if `left` of its counter is not 0, and if its
 * slot is 0, as with RFS_FILTER_PLACES:
 *
 *     mov %gs:PASS,%rcx
 *     jrcxz stop
 *     lea -1(%rcx),%rcx
 *     mov %rcx,%gs:PASS
 *
 * RFS_STUB_COUNT is the same for any instruction, and has no slot. A debugger counts with it how often its breakpoints
 * are passed.
 */
#ifndef RFS_STUB_CONTROL_H
#define RFS_STUB_CONTROL_H

#include <stdint.h>

#include "disasm/addr.h"

enum rfs_stub_filter {
	RFS_FILTER_NONE,
	RFS_FILTER_REPEATS,
	RFS_FILTER_PLACES,
	RFS_STUB_PASS, /* and the next ones: the stub uses counter 0, 1 and so on of rfs_stub_control.pass */
	RFS_STUB_COUNT = RFS_STUB_PASS + 3, /* the counters after those of RFS_STUB_PASS */
};

#define RFS_STUB_HOT 3	  /* counters of RFS_STUB_PASS: one for each set of the statements of a pair */
#define RFS_STUB_COUNTS 3 /* counters of RFS_STUB_COUNT */
#define RFS_STUB_PASSES (RFS_STUB_HOT + RFS_STUB_COUNTS)

#define RFS_FILTER_SLOTS (1ul << 20)		 /* REPEATS: of eight bytes */
#define RFS_FILTER_WRITES (8 * RFS_FILTER_SLOTS) /* REPEATS: where the slots of writes begin in the table */
#define RFS_PLACE_SLOTS (1ul << 22)		 /* PLACES: of one byte */
#define RFS_FILTER_LONG RFS_PLACE_SLOTS		 /* PLACES: where the slots of long accesses begin */
#define RFS_FILTER_SIZE (6 * RFS_PLACE_SLOTS)	 /* bytes of the table, most of which are never used */
/*
 * If there is no room for the table, a smaller one has RFS_FILTER_SIZE >> RFS_FILTER_SMALLER bytes, and so have its
 * parts. REPEATS: its mask has only the bits 3 to 19 of the address. Each mask needs the bits 3 to 18 (see above).
 */
#define RFS_FILTER_SMALLER 3
#define RFS_FILTER_LONGEST 64 /* longer accesses are always recorded */
#define RFS_FILTER_SIZES 7    /* 1 to RFS_FILTER_LONGEST */
/*
 * The segment after s is s + RFS_FILTER_SEGMENT. The bits RFS_FILTER_EARLY count segments first; then RFS_FILTER_LATE
 * is added, which counts up to the bit RFS_FILTER_NO_KEY. If the filter is off, segments have the bit
 * RFS_FILTER_NO_SEGMENT, and the keys in the table also have the bit RFS_FILTER_NO_KEY. So no key is found.
 */
#define RFS_FILTER_SEGMENT (1ull << 6)
#define RFS_FILTER_EARLY (0xffffull << 6)
#define RFS_FILTER_LATE (1ull << 60)
#define RFS_FILTER_NO_KEY (1ull << 62)
#define RFS_FILTER_NO_SEGMENT (1ull << 63)

#define RFS_STUB_LENT 3 /* kinds of calls that are lent, see struct rfs_stub_lent */

/* The calls with tests that a thread may make without a stop, until its next stop. */
struct rfs_stub_lent {
	int32_t calls[RFS_STUB_LENT]; /* how many calls of each kind */
	uint32_t self;		      /* the thread id, for RFS_TEST_SELF */
	uint64_t only, mask;	      /* the object for RFS_TEST_ONLY; mask: all bits set, or 0 to allow any object */
};

/* How many executions of hot statements may pass without a stop, until the next stop of the thread. */
struct rfs_stub_pass {
	uint64_t left;
	rfs_addr table; /* of memory at which each execution stops */
};

/* The control block of a thread. Its gs points to this block. */
struct rfs_stub_control {
	uint64_t saved[2];	   /* the scratch registers' own values, while the thread is in a stub */
	rfs_addr next;		   /* address of the next record; exact outside of stubs, and after rfs_stub_leave();
				      behind the buffer: the task must stop at its next record */
	struct rfs_stub_lent lent; /* how many calls with tests are left */
	uint64_t saved_rcx;	   /* the value of rcx, while a stub uses this register */
	rfs_addr table;		   /* of the filter */
	/*
	 * The segment: a stub adds RFS_FILTER_SEGMENT after a record that may change what the thread's next accesses
	 * mean, such as that of an unlock.
	 */
	uint64_t segment;
	uint64_t off;			 /* added to keys in the table: 0, or RFS_FILTER_NO_KEY if the filter is off */
	rfs_addr dropped;		 /* grows by 1 with each dropped read or write; the stub reads the byte there */
	uint64_t sum;			 /* of the addresses of dropped accesses */
	uint64_t mask[RFS_FILTER_SIZES]; /* which bits of an address are its slot, by binary logarithm of the size */
	struct rfs_stub_pass pass[RFS_STUB_PASSES];
	uint64_t unused[6];
};

#endif
