/* sanitizer.h - programs that were built with a sanitizer: which memory is the sanitizer's own. */
#ifndef RFS_SANITIZER_H
#define RFS_SANITIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_module;
struct rfs_run;
struct user_regs_struct;

/* Call for each module that is mapped. Notes whether it brings a sanitizer. */
void rfs_sanitizer_add_module(struct rfs_run *run, const struct rfs_module *module);
/* Whether the address is in the shadow memory of the target's sanitizer. The program itself has nothing there. */
bool rfs_sanitizer_shadow(const struct rfs_run *run, rfs_addr address);
/* The size of a block of AddressSanitizer's heap, as its shadow memory says; at least 1. */
uint64_t rfs_sanitizer_block_size(const struct rfs_run *run, rfs_addr block);
/*
 * Without optimisation, compilers load the address of an access again, from the frame, right before the access. If the
 * instruction before `access` does that, the register in *regs gets the value that it will load.
 */
void rfs_sanitizer_reload(struct rfs_run *run, const struct rfs_insn *access, struct user_regs_struct *regs);
/* Whether the function at vaddr belongs to a sanitizer's runtime, so that its accesses are not the program's. */
bool rfs_sanitizer_owns(const struct rfs_module *module, uint64_t vaddr);

#endif
