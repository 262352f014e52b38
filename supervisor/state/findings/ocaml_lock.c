/* ocaml_lock.c - finds the flag by its symbol, and reads it from the target. */
#include "supervisor/state/findings/ocaml_lock.h"

#include <stdint.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/module.h"

#define FLAG_OFFSET 40 /* behind the mutex */
#define LOCK_SIZE 96   /* mutex, flag, number of waiting threads, condition variable */

void rfs_ocaml_lock_find(struct rfs_run *run, const struct rfs_module *module)
{
	rfs_addr vaddr;

	if (!run->ocaml_lock && rfs_elf_symbol(module->elf, "caml_master_lock", &vaddr, NULL))
		run->ocaml_lock = vaddr + module->bias;
}

bool rfs_ocaml_lock_read(const struct rfs_run *run, rfs_addr *flag, bool *busy)
{
	uint32_t value;

	*flag = run->ocaml_lock + FLAG_OFFSET;
	if (!run->ocaml_lock || !rfs_peek(run, *flag, &value, sizeof(value)))
		return false;
	*busy = value;
	return true;
}

bool rfs_ocaml_is_runtime_access(const struct rfs_run *run, const struct rfs_race_access *access)
{
	static const char *const names[] = {"caml_set_action_pending", "caml_record_signal"};
	const rfs_addr at = rfs_site_address(run, access->site);
	const struct rfs_module_info *info = run->ocaml_lock ? rfs_info_at(run, at) : NULL;
	const struct rfs_function *function;

	if (!info)
		return false;
	if (access->address - run->ocaml_lock < LOCK_SIZE)
		return true;
	function = rfs_elf_function_at(info->elf, at - info->bias);
	for (size_t i = 0; function && function->name && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(function->name, names[i]) == 0)
			return true;
	return false;
}
