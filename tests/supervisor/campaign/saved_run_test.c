/* saved_run_test.c - a saved run owns everything that is needed to make it again. */
#include "supervisor/campaign/failures/saved_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"

TestSuite(saved_run, .timeout = 20);

Test(saved_run, owns_what_its_execution_borrowed)
{
	char learnt[] = {1, 2, 3}, module[] = "/bin/prog";
	struct rfs_site_ref site = {module, 7};
	struct rfs_blob blob = {learnt, sizeof(learnt)};
	struct rfs_lessons lessons = {0};
	const struct rfs_execution execution = {
		.name = "run",
		.lessons = &lessons,
		.spec = {.seed = 5,
			 .lessons.spin = &site,
			 .lessons.n_spin = 1,
			 .lessons.traps_rdtsc = true,
			 .policy_blob = &blob},
	};
	struct rfs_run_result result = {.end = RFS_END_UNCONTROLLED, .message = xstrdup("why")};
	struct rfs_saved_run kept;

	rfs_saved_run_take(&kept, &execution, &result);
	cr_expect_null(result.message, "the result is moved");
	cr_expect_str_eq(kept.result.message, "why");
	cr_expect_eq(kept.execution.spec.seed, 5);
	cr_expect_null(kept.execution.lessons);
	cr_expect_null(kept.execution.spec.lessons.spin, "a saved run may be moved in memory");
	cr_expect_eq(kept.replayed, RFS_REPLAY_NOT_YET);
	/* overwrite what the saved run was made from */
	memset(learnt, 0, sizeof(learnt));
	module[0] = 'x';
	cr_assert_eq(kept.lessons.spin.n, 1);
	cr_expect_str_eq(kept.lessons.spin.sites[0].module, "/bin/prog");
	cr_expect(kept.lessons.traps_rdtsc);
	cr_assert_eq(kept.blob.size, 3);
	cr_expect_eq(((const char *)kept.blob.data)[2], 3);
	rfs_saved_run_release(&kept);
}

Test(saved_run, a_blob_may_be_absent_or_empty)
{
	const struct rfs_blob empty = {NULL, 0};
	const struct rfs_blob *const blobs[] = {NULL, &empty};

	for (size_t i = 0; i < 2; i++) {
		const struct rfs_execution execution = {.spec = {.policy_blob = blobs[i]}};
		struct rfs_run_result result = {.end = RFS_END_EXIT};
		struct rfs_saved_run kept;

		rfs_saved_run_take(&kept, &execution, &result);
		cr_expect_eq(kept.blob.data != NULL, blobs[i] != NULL, "an empty blob is not the same as none");
		cr_expect_eq(kept.blob.size, 0);
		rfs_saved_run_release(&kept);
	}
}
