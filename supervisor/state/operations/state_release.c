/* state_release.c - what the room state keeps of a run: modules, memory, objects, and what findings need. */
#include "supervisor/state/operations/state_release.h"

#include "supervisor/base/address_set.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/kernel_objects.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/hold_stacks.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/partial_order.h"

void rfs_state_release(struct rfs_run *run)
{
	rfs_sync_release(&run->sync);
	rfs_program_output_release(run);
	rfs_follow_release(&run->follow);
	rfs_infos_release(run);
	rfs_address_set_release(&run->written_locks);
	rfs_partial_order_free(run);
	rfs_heap_release(run);
	rfs_unsafe_calls_release(run);
	rfs_kernel_objects_release(run);
	rfs_aliases_release(run);
	rfs_family_release(run);
	rfs_objects_release(&run->objects);
	rfs_faults_release(run);
	rfs_lock_order_close(run);
	rfs_hold_stacks_close(run);
	rfs_target_memory_close(run);
}
