/*
 * reference.h - hybrid detection by brute force. It keeps every access, and at the end compares all pairs of accesses
 * byte by byte. It shares no code with policy/ and is slow on purpose. At most 64 threads.
 */
#ifndef RFS_TEST_REFERENCE_H
#define RFS_TEST_REFERENCE_H

#include "policy/policy.h"

/* Calls visit for each byte at which two accesses race, maybe more than once. state: of the detector below. */
typedef void reference_byte(void *arg, rfs_addr byte);
void reference_bytes(void *state, reference_byte *visit, void *arg);

extern const struct rfs_detector_ops reference_detector;

#endif
