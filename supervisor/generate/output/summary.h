/* summary.h - the report of rfsup --generate, as text and as JSON. */
#ifndef RFS_GENERATE_SUMMARY_H
#define RFS_GENERATE_SUMMARY_H

struct rfs_generate_options;
struct rfs_generated_bug;
struct rfs_library;
struct rfs_session_result;
struct rfs_type_result;

struct rfs_summary {
	const struct rfs_generate_options *options;
	const struct rfs_library *library;
	const char *path, *directory; /* of the library; the output folder */
	const struct rfs_session_result *result;
};

/* The caller frees the text. */
char *rfs_summary_text(const struct rfs_summary *summary);
/* The parts of the text: one finding; the table of all types and what was done. */
char *rfs_summary_bug(const struct rfs_summary *summary, const struct rfs_type_result *type,
		      const struct rfs_generated_bug *bug);
char *rfs_summary_end(const struct rfs_summary *summary);
char *rfs_summary_json(const struct rfs_summary *summary);

#endif
