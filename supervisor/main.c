/* The front door: reads the command line, checks what it names, and hands over. */
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/error.h"
#include "supervisor/options.h"
#include "supervisor/output.h"
#include "supervisor/pairs.h"
#include "supervisor/program.h"

int main(int argc, char **argv)
{
	struct rfs_options options;
	struct rfs_pairs pairs = {0};
	struct rfs_program program = {0};
	struct rfs_output output;
	char *const *words;
	char why[1024];

	if (rfs_options_parse(argc, argv, &options, why, sizeof(why)) < 0)
		die("%s", why);
	if (options.action != RFS_ACTION_RUN) {
		rfs_options_print(&options, stdout);
		if (rfs_output_print(stdout, "standard output", "", 0, why, sizeof(why)) < 0)
			die("%s", why);
		rfs_options_release(&options);
		return RFS_EXIT_CLEAN;
	}
	rfs_log_set_level(options.log);
	if (rfs_options_check_files(&options, why, sizeof(why)) < 0)
		die("%s", why);
	if (options.mode == RFS_MODE_PAIRS && rfs_pairs_read(options.pairs, &pairs, why, sizeof(why)) < 0)
		die("%s", why);
	words = options.argv[0] ? options.argv : pairs.program;
	if (options.mode != RFS_MODE_REPLAY) {
		if (!words)
			die("no program given, and '%s' has no program line", options.pairs);
		if (rfs_program_resolve(words, NULL, &program, why, sizeof(why)) < 0)
			die("%s", why);
		if (program.script)
			rfs_warn("'%s' is a script: its interpreter '%s' is run", program.script, program.path);
	}
	if (rfs_output_open(options.output, argv, &output, why, sizeof(why)) < 0)
		die("%s", why);
	rfs_output_discard(&output);
	rfs_program_release(&program);
	rfs_pairs_release(&pairs);
	rfs_options_release(&options);
	return RFS_EXIT_CLEAN;
}
