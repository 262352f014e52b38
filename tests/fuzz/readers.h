/*
 * readers.h - functions that give any bytes to a reader of files, because a user may have damaged or edited such a
 * file. Only a crash or a report of a sanitizer is an error. Checksums are corrected first, otherwise they would refuse
 * every change.
 */
#ifndef RFS_TESTS_FUZZ_READERS_H
#define RFS_TESTS_FUZZ_READERS_H

#include <stddef.h>
#include <stdint.h>

/* Readers return 0, as libFuzzer requires. */
typedef int rfs_fuzz_fn(const uint8_t *data, size_t size);

rfs_fuzz_fn rfs_fuzz_record, rfs_fuzz_pairs, rfs_fuzz_trace, rfs_fuzz_input, rfs_fuzz_hints, rfs_fuzz_reports,
	rfs_fuzz_xml, rfs_fuzz_json, rfs_fuzz_suppressions, rfs_fuzz_journal, rfs_fuzz_pack, rfs_fuzz_baseline,
	rfs_fuzz_part;

#endif
