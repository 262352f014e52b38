/* kernel_run.h - a stepped run whose threads make system calls. */
#ifndef RFS_TEST_KERNEL_RUN_H
#define RFS_TEST_KERNEL_RUN_H

#include "tests/supervisor/fake_tracer/stepped_run.h"

void kernel_open(const struct fake_step *const *scripts, size_t n);

#endif
