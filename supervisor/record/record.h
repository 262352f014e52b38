/*
 * record.h - the record of one execution, which rfsup --replay reads (rfsup-record(5)).
 *
 * A record is a JSON file with everything that the run depends on, and its outcome. It is written before the run
 * starts, so that it exists even if the run takes the whole machine down. The outcome is added afterwards. Strings that
 * are not UTF-8 are objects {"hex": "..."}, because a command line may contain any bytes.
 */
#ifndef RFS_RECORD_H
#define RFS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "supervisor/record/cycle.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

/* The format of records. Records in another format are refused. */
#define RFS_RECORD_SCHEMA 9

/*
 * Writes the record to path, completely or not at all. result: NULL before the run. trace: the name of the trace in the
 * same folder; NULL: none. The umask and limits of this process are recorded. 0, or -errno and a line in why.
 */
int rfs_record_write(const char *path, const struct rfs_execution *execution, const struct rfs_run_result *result,
		     const char *trace, char *why, size_t n) __attribute__((warn_unused_result));

struct rfs_record_limit {
	int resource;
	struct rlimit limit;
};

struct rfs_record_module {
	const char *path, *build_id; /* build_id: "" if the module has none */
	const char *content;	     /* checksum of the file if there is no build-id; NULL: not known */
};

/* A record that was read. All pointers are valid as long as the struct. */
struct rfs_record {
	struct rfs_execution execution; /* the caller sets spec.policy and spec.detector by the names below */
	struct rfs_lessons lessons;
	const char *policy, *detector; /* detector NULL: no detector */
	mode_t mask;
	struct rfs_record_limit *limits;
	size_t n_limits;

	bool foreign; /* the file belongs to another user, or others may write to it */

	bool ended; /* the record has an outcome, so the members below are valid */
	enum rfs_run_end end;
	int detail;
	uint64_t hash[2], created;
	double seconds; /* wall time; 0: not known */
	struct rfs_record_module *modules;
	size_t n_modules;
	char *trace; /* path; NULL: no trace */
	char *input; /* path of the recorded input; NULL: none */

	/* owns the memory that the pointers above point to */
	void **owned;
	size_t n_owned;
	struct rfs_statement_pair pair;
	struct rfs_cycle cycle; /* parts belong to `owned` */
	struct rfs_order_places order;
	struct rfs_blob blob;
};

/*
 * Returns 0 and *out, to be freed with rfs_record_release(). Returns -EINVAL (damaged, or of another version) or
 * another -errno, and a line in why.
 */
int rfs_record_read(const char *path, struct rfs_record *out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_record_release(struct rfs_record *record);

/* "exit", "deadlock", ...; a static string. */
const char *rfs_run_end_name(enum rfs_run_end end);

#endif
