/* sync_run.h - a stepped run whose threads call functions of the C library and futex(2). */
#ifndef RFS_TEST_SYNC_RUN_H
#define RFS_TEST_SYNC_RUN_H

#include "tests/supervisor/fake_tracer/stepped_run.h"

void sync_open(const struct fake_step *const *scripts, size_t n);

#endif
