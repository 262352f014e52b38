/* asan.h - code that AddressSanitizer and its kin have put into a module. */
#ifndef RFS_ASAN_H
#define RFS_ASAN_H

#include <stdbool.h>

#include "disasm/elf/elf.h"

struct rfs_decoder;

/* Where AddressSanitizer's shadow memory begins on Linux x86-64: one byte for eight bytes of the program. */
#define RFS_ASAN_SHADOW 0x7fff8000ull
#define RFS_ASAN_SHADOW_END 0x10007fff8000ull
#define RFS_ASAN_SCALE 3

/* Whether the module contains the runtime of a sanitizer: all its modules, or the program linked with it. */
bool rfs_sanitizer_runtime_in(const struct rfs_elf *elf);
/* Whether the function at vaddr belongs to the runtime of a sanitizer. */
bool rfs_sanitizer_runtime_at(const struct rfs_elf *elf, rfs_addr vaddr);
/*
 * The instruction that reads the shadow memory to check the access at vaddr. Control that passes it reaches the access,
 * without another access to shared memory, or the sanitizer's report. 0: none was found.
 */
rfs_addr rfs_asan_check_of(const struct rfs_elf *elf, struct rfs_decoder *decoder, rfs_addr vaddr);

#endif
