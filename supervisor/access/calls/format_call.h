/*
 * format_call.h - which memory a call of printf, scanf or one of their kin accesses for the calling statement. Pure:
 * only registers and memory count.
 */
#ifndef RFS_FORMAT_CALL_H
#define RFS_FORMAT_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct rfs_range_call;
struct rfs_range_reader;

/* Whether this function is one of them. */
bool rfs_format_call_known(const char *callee);
/*
 * Adds the strings that the call reads, and as late ranges what it may write: the buffer of sprintf, the variables of
 * scanf. regs: at the function's entry, or at the call instruction (entry false).
 */
void rfs_format_call_look(const char *callee, const struct user_regs_struct *regs, bool entry,
			  const struct rfs_range_reader *reader, struct rfs_range_call *out);
/* Adds what the call has written. regs: as before; result: what it returned. */
void rfs_format_call_result(const char *callee, const struct user_regs_struct *regs, bool entry, uint64_t result,
			    const struct rfs_range_reader *reader, struct rfs_range_call *out);

#endif
