/* cycle_names.c - names of locks and sites in both directions, by the code of the modules. */
#include "supervisor/campaign/predicted/cycle_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/resolve.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/symbolize.h"

/* ---- writing ---- */

/* "table_lock" or "a lock", and where it is acquired. Caller frees. */
static char *cycle_names_describe(struct rfs_campaign *c, const struct rfs_cycle_lock *lock)
{
	char *object, *where, *text;

	if (!lock->site.module)
		return xstrdup("no lock");
	object = rfs_symbols_lock(c->symbols, &lock->object);
	where = rfs_symbols_text(c->symbols, &lock->site, !lock->word);
	text = xasprintf("%s (%s)", object ? object : "a lock", where);
	free(object);
	free(where);
	return text;
}

static void cycle_names_add_cycle(struct rfs_campaign *c, const struct rfs_cycle *cycle, struct rfs_pairs *file)
{
	struct rfs_named_lock *locks = xcalloc(2 * cycle->n, sizeof(*locks));
	char *comment = xstrdup("");

	for (size_t i = 0; i < 2 * cycle->n; i++) {
		const struct rfs_cycle_part *part = &cycle->parts[i / 2];
		const struct rfs_cycle_lock *lock = i % 2 ? &part->wanted : &part->held;
		char *text = cycle_names_describe(c, lock), *longer = xasprintf("%s%s%s", comment,
										i % 2 ? ", then "
										: i   ? "; "
										      : "",
										text);

		free(text);
		free(comment);
		comment = longer;
		if (!lock->site.module)
			continue;
		locks[i].class = lock->class;
		locks[i].name = (struct rfs_name){
			.form = RFS_NAME_OFFSET,
			.name = (char *)rfs_tally_module_name(c->tally, lock->site.module),
			.number = lock->site.offset,
		};
	}
	rfs_pairs_add_cycle(file, locks, 2 * cycle->n, comment);
	free(comment);
	free(locks);
}

void rfs_cycle_names_add(struct rfs_campaign *c, bool untried, struct rfs_pairs *file)
{
	for (size_t i = 0; i < c->cycles->n_settled; i++)
		if (!c->cycles->list[i]->cycle.one_thread &&
		    !(untried && (c->cycles->list[i]->arm.done || c->cycles->list[i]->suppressed)))
			cycle_names_add_cycle(c, &c->cycles->list[i]->cycle, file);
}

/* ---- reading ---- */

/* The modules in which locks are searched. The code is read only if a line of a source file is named. */
struct modules {
	struct rfs_resolve_module *list;
	size_t n;
	struct rfs_code **codes;
};

/* Calls after which the thread holds a lock, or, for the wait of a condition, holds it again. */
bool rfs_acquires_lock(const char *callee)
{
	static const char *const functions[] = {
		"pthread_mutex_lock",
		"pthread_mutex_trylock",
		"pthread_mutex_timedlock",
		"pthread_mutex_clocklock",
		"pthread_rwlock_rdlock",
		"pthread_rwlock_wrlock",
		"pthread_rwlock_tryrdlock",
		"pthread_rwlock_trywrlock",
		"pthread_rwlock_timedrdlock",
		"pthread_rwlock_timedwrlock",
		"pthread_rwlock_clockrdlock",
		"pthread_rwlock_clockwrlock",
		"pthread_spin_lock",
		"pthread_spin_trylock",
		"pthread_cond_wait",
		"pthread_cond_timedwait",
		"pthread_cond_clockwait",
		"sem_wait",
		"sem_trywait",
		"sem_timedwait",
		"sem_clockwait",
		"mtx_lock",
		"mtx_trylock",
		"mtx_timedlock",
		"cnd_wait",
		"cnd_timedwait",
		"g_mutex_lock",
		"g_mutex_trylock",
		"flockfile",
		"ftrylockfile",
		"omp_set_lock",
		"omp_set_nest_lock",
		"omp_test_lock",
		"GOMP_critical_start",
		"GOMP_critical_name_start",
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(functions[i], callee) == 0)
			return true;
	return false;
}

static void cycle_names_list_modules(struct rfs_campaign *c, struct modules *modules)
{
	modules->list = xcalloc(c->tally->n_modules + 1, sizeof(*modules->list));
	modules->codes = xcalloc(c->tally->n_modules + 1, sizeof(*modules->codes));
	for (size_t i = 0; i < c->tally->n_modules; i++) {
		const char *path = c->tally->modules[i].path;
		const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, path);

		if (elf)
			modules->list[modules->n++] = (struct rfs_resolve_module){
				.path = path, .elf = elf, .dwarf = rfs_symbols_dwarf(c->symbols, path)};
	}
}

static void cycle_names_read_code(struct modules *modules)
{
	struct rfs_decoder *decoder;

	if (rfs_decoder_new(&decoder) != 0)
		return;
	for (size_t i = 0; i < modules->n; i++)
		if (modules->list[i].dwarf && !modules->codes[i] &&
		    rfs_code_scan(modules->list[i].elf, decoder, rfs_acquires_lock, &modules->codes[i]) != 0)
			modules->codes[i] = NULL;
	rfs_decoder_free(decoder);
}

static void cycle_names_release_modules(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		if (modules->codes[i])
			rfs_code_free(modules->codes[i]);
	free(modules->codes);
	free(modules->list);
}

static int several(struct rfs_campaign *c, const struct rfs_name *name, const struct rfs_statement *found, char *why,
		   size_t n)
{
	return rfs_why(why, n, -EEXIST,
		       "%s:%u:%u: line %" PRIu64 " of '%s' acquires locks at %zu places; write %s+0x%" PRIx64
		       " or another one",
		       c->options->pairs, name->line, name->column, name->number, name->name, found->n_sites,
		       rfs_tally_module_name(c->tally, found->sites[0].module), found->sites[0].offset);
}

static int resolve_lock(struct rfs_campaign *c, const struct rfs_named_lock *named, struct modules *modules,
			struct rfs_cycle_lock *out, char *why, size_t n)
{
	const bool is_line = named->name.form == RFS_NAME_LINE;
	struct rfs_statement found;
	char line[768];
	int error;

	*out = (struct rfs_cycle_lock){.class = named->class};
	if (!named->name.name)
		return 0;
	if (is_line)
		cycle_names_read_code(modules);
	for (size_t i = 0; i < modules->n; i++)
		modules->list[i].code = is_line ? modules->codes[i] : NULL;
	error = rfs_resolve_lock(&named->name, modules->list, modules->n, rfs_acquires_lock, &found, line,
				 sizeof(line));
	if (error)
		return rfs_why(why, n, error, "%s:%u:%u: %s", c->options->pairs, named->name.line, named->name.column,
			       line);
	if (found.n_sites > 1)
		error = several(c, &named->name, &found, why, n);
	else
		out->site = (struct rfs_place){xstrdup(found.sites[0].module), found.sites[0].offset};
	rfs_resolve_release(&found);
	return error;
}

static int resolve_cycle(struct rfs_campaign *c, const struct rfs_named_cycle *named, struct modules *modules,
			 char *why, size_t n)
{
	struct rfs_cycle cycle = {.n = named->n_locks / 2};
	int error = 0;

	cycle.parts = xcalloc(cycle.n, sizeof(*cycle.parts));
	for (size_t i = 0; i < cycle.n && !error; i++) {
		error = resolve_lock(c, &named->locks[2 * i], modules, &cycle.parts[i].held, why, n);
		if (!error)
			error = resolve_lock(c, &named->locks[2 * i + 1], modules, &cycle.parts[i].wanted, why, n);
	}
	if (error)
		rfs_cycle_release(&cycle);
	else
		rfs_cycle_list_add(c->cycles, &cycle);
	return error;
}

int rfs_cycle_names_resolve(struct rfs_campaign *c, const struct rfs_pairs *file, char *why, size_t n)
{
	struct modules modules = {0};
	int error = 0;

	if (!file->n_cycles)
		return 0;
	cycle_names_list_modules(c, &modules);
	for (size_t i = 0; i < file->n_cycles && !error; i++)
		error = resolve_cycle(c, &file->cycles[i], &modules, why, n);
	cycle_names_release_modules(&modules);
	if (error)
		rfs_cycle_list_release(c->cycles);
	return error;
}
