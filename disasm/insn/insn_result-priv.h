/* insn_result-priv.h - what an instruction of a legacy encoding does with the result of a function. */
#ifndef RFS_INSN_RESULT_PRIV_H
#define RFS_INSN_RESULT_PRIV_H

#include <capstone/capstone.h>

#include "disasm/insn/insn.h"

/* Looks at the operands only. The caller handles calls, returns and system calls. */
enum rfs_result_use rfs_insn_result_use(const cs_insn *insn);

#endif
