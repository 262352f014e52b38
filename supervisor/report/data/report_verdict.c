/* report_verdict.c - a row of words for each verdict. */
#include "supervisor/report/data/report_verdict.h"

#include <stddef.h>

const struct rfs_verdict_words *rfs_verdict_words(enum rfs_verdict verdict)
{
	static const struct rfs_verdict_words words[RFS_VERDICT_COUNT] = {
		[RFS_VERDICT_UNCONFIRMED] = {"unconfirmed", "UNCONFIRMED pair", "unconfirmed", "unconfirmed", NULL,
					     RFS_TONE_DIM, false},
		[RFS_VERDICT_UNORDERED] = {"unordered", "UNORDERED pair", "unordered pair", "unordered pairs",
					   "no failure depends on which of the two goes first", RFS_TONE_QUIET, false},
		[RFS_VERDICT_UNCLEAR] =
			{"unclear", "UNCLEAR race", "unclear", "unclear",
			 "one of the accesses may be an atomic load or store of C or C++, which compiles "
			 "to the same instruction as an ordinary access",
			 RFS_TONE_QUIET, false},
		[RFS_VERDICT_REAL] = {"real", "REAL race", "real race", "real races", NULL, RFS_TONE_WARNING, true},
		[RFS_VERDICT_HARMFUL] = {"harmful", "HARMFUL race", "harmful race", "harmful races", NULL,
					 RFS_TONE_ALARM, true},
	};

	return &words[verdict];
}
