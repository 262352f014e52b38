/* insn_call.h - finds the call instruction that ends at a return address. */
#ifndef RFS_INSN_CALL_H
#define RFS_INSN_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_decoder;

/* The longest call: of a 32-bit displacement from two registers, with a prefix. */
#define RFS_CALL_LENGTH_MAX 8

/* Whether a call ends right before the address `end`. before: the bytes there. */
bool rfs_insn_call_ends(struct rfs_decoder *decoder, const uint8_t before[RFS_CALL_LENGTH_MAX], rfs_addr end);

#endif
