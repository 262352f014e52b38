/* tasks.c - candidates for calls, and arguments for them. */
#include "supervisor/generate/tests/tasks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/call_orders.h"
#include "supervisor/generate/tests/record_value.h"
#include "supervisor/generate/tests/trial.h"
#include "supervisor/generate/tests/tried_methods.h"

/* How many candidates a task tries (the paper's number), and how deep instantiations may nest. */
#define CANDIDATES 10
#define DEPTH_MAX 4
/* A function ends the life of objects if it did so often, and a method never worked afterwards. */
#define ENDS_MIN 3
#define ENDS_NEVER UINT_MAX
/* A length, and a string of this length: they make containers grow. */
#define LONG 100
#define TEN "0123456789"
#define LONG_STRING TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
/* Bytes of a buffer that a function may fill, and of an array or number that it may write. */
#define BUFFER 256
#define SMALL_BUFFER 64
/* Bytes of a structure whose members get values: more would be long lines of the test. */
#define RECORD_MAX 128

struct call_plan {
	struct rfs_generator *generator;
	struct rfs_sequence *sequence;
	enum rfs_section section;
	size_t function;
	int depth;
	const struct rfs_c_type *from_null; /* objects of this type are NULL in the call; NULL: none */
};

static const char *parameter_name(const struct call_plan *plan, size_t i)
{
	const char *name = plan->generator->names ? plan->generator->names[plan->function][i] : NULL;

	return name ? name : "";
}

static bool sounds_like_length(const char *name)
{
	return strcasestr(name, "len") || strcasestr(name, "size") || strcasestr(name, "count") ||
	       strcmp(name, "n") == 0 || strncmp(name, "n_", 2) == 0 || strcasestr(name, "num");
}

static bool sounds_like_descriptor(const char *name)
{
	static const char *const words[] = {"fildes", "filedes", "descriptor", "sock"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return n >= 2 && strcasecmp(name + n - 2, "fd") == 0;
}

static struct rfs_value value(enum rfs_value_kind kind, int64_t integer)
{
	return (struct rfs_value){.kind = kind, .integer = integer};
}

/* A random integer or string that the sequence already has. False: it has none. */
static bool choose_used(struct call_plan *plan, enum rfs_value_kind kind, struct rfs_value *out)
{
	const struct rfs_sequence *sequence = plan->sequence;
	size_t n = 0;

	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < sequence->n[section]; i++)
			for (size_t k = 0; k < sequence->calls[section][i].n_values; k++) {
				const struct rfs_value *used = &sequence->calls[section][i].values[k];

				if (used->kind == kind && rfs_rng_below(&plan->generator->rng, ++n) == 0)
					*out = *used;
			}
	return n > 0;
}

/*
 * A small number could be a descriptor of the process, and the same number is another file in the C program of a
 * finding. A fork server accepts no process with open files. So few prefixes open one, and their executions are slower.
 */
static struct rfs_value choose_descriptor(struct call_plan *plan)
{
	const uint64_t opened = plan->section == RFS_PREFIX ? 1 : 3;

	return rfs_rng_chance(&plan->generator->rng, opened, 4) ? value(RFS_VALUE_DESCRIPTOR, 0)
								: value(RFS_VALUE_INTEGER, -1);
}

static struct rfs_value choose_integer(struct call_plan *plan, const struct rfs_c_type *type, size_t i)
{
	static const int64_t lengths[] = {1, 1, 0, 2, 3, LONG}, others[] = {0, 1, 2, 3, 5, 16, -1};
	struct rfs_rng *rng = &plan->generator->rng;
	struct rfs_value used;
	int64_t chosen;

	if (type->size == sizeof(int) && type->is_signed && sounds_like_descriptor(parameter_name(plan, i)))
		return choose_descriptor(plan);
	if (sounds_like_length(parameter_name(plan, i)))
		return value(RFS_VALUE_INTEGER, lengths[rfs_rng_below(rng, sizeof(lengths) / sizeof(*lengths))]);
	if (type->is_character)
		return value(RFS_VALUE_INTEGER, 'a' + (int64_t)rfs_rng_below(rng, 3));
	if (rfs_rng_chance(rng, 1, 2) && choose_used(plan, RFS_VALUE_INTEGER, &used) &&
	    (used.integer >= 0 || type->is_signed))
		return value(RFS_VALUE_INTEGER, used.integer);
	chosen = others[rfs_rng_below(rng, sizeof(others) / sizeof(*others))];
	return value(RFS_VALUE_INTEGER, chosen < 0 && !type->is_signed ? 4 : chosen);
}

/* kind: STRING or CXX_STRING */
static struct rfs_value choose_string(struct call_plan *plan, enum rfs_value_kind kind)
{
	static const char *const strings[] = {"a", "b", "key", "1", "hello", "", LONG_STRING, LONG_STRING};
	struct rfs_value string = value(kind, 0);

	/* the same key in several calls makes them meet */
	if (rfs_rng_chance(&plan->generator->rng, 1, 2) && choose_used(plan, kind, &string))
		return string;
	string.string = strings[rfs_rng_below(&plan->generator->rng, sizeof(strings) / sizeof(*strings))];
	return string;
}

/* Whether a call with these effects has freed the object of its argument. */
static bool frees(unsigned effects, size_t argument)
{
	return argument < RFS_DRIVER_ENDS_MAX && effects >> (RFS_DRIVER_ENDS + argument) & 1;
}

/* Whether a call of the sequence has ended the life of the variable's object. */
static bool has_ended(const struct call_plan *plan, int variable)
{
	const struct rfs_sequence *sequence = plan->sequence;

	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < sequence->n[section]; i++) {
			const struct rfs_sequence_call *call = &sequence->calls[section][i];

			for (size_t k = 0; call->function != RFS_CALL_MEMORY && k < call->n_values; k++)
				if (call->values[k].kind == RFS_VALUE_VARIABLE && call->values[k].integer == variable &&
				    (frees(call->effects, k) ||
				     rfs_library_ends_argument(plan->generator->library, call->function, k)))
					return true;
		}
	return false;
}

/* A random variable of the type that a call of this section can use; -1: there is none. own: only of this section. */
static int choose_variable(struct call_plan *plan, const struct rfs_c_type *object, bool own)
{
	const struct rfs_sequence *sequence = plan->sequence;
	size_t n = 0;
	int chosen = -1;

	for (size_t i = 0; i < sequence->n_variables; i++) {
		const struct rfs_variable *v = &sequence->variables[i];

		if (v->type != object || (v->section != plan->section && (own || v->section != RFS_PREFIX)))
			continue;
		if (has_ended(plan, (int)i))
			continue;
		if (rfs_rng_below(&plan->generator->rng, ++n) == 0)
			chosen = (int)i;
	}
	return chosen;
}

static int instantiate(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		       const struct rfs_c_type *object, int depth);

static struct rfs_value choose_object(struct call_plan *plan, const struct rfs_c_type *object)
{
	int variable = choose_variable(plan, object, false);

	if (variable < 0 || rfs_rng_chance(&plan->generator->rng, 1, 4)) {
		int fresh = plan->depth < DEPTH_MAX ? instantiate(plan->generator, plan->sequence, plan->section,
								  object, plan->depth + 1)
						    : -1;

		variable = fresh >= 0 ? fresh : variable;
	}
	if (variable >= 0)
		return value(RFS_VALUE_VARIABLE, variable);
	/* no function makes it: the caller may own it, or the function may accept none */
	if (object->size && !object->is_declared && !rfs_rng_chance(&plan->generator->rng, 1, 4))
		return value(RFS_VALUE_MEMORY, (int64_t)object->size);
	return value(RFS_VALUE_NULL, 0);
}

/* A library seldom makes a FILE, but may print to one that it gets. */
static struct rfs_value choose_stream(struct call_plan *plan, const struct rfs_c_type *object)
{
	int variable = rfs_rng_chance(&plan->generator->rng, 1, 2) ? choose_variable(plan, object, false) : -1;

	return variable < 0 ? value(RFS_VALUE_STREAM, 0) : value(RFS_VALUE_VARIABLE, variable);
}

/*
 * Where a call stores an object: a new variable, or sometimes one that has an object, because the call may need one
 * there, as apr_proc_mutex_child_init(&mutex, …). Such a variable is of this section, because threads must not share
 * it.
 */
static struct rfs_value choose_slot(struct call_plan *plan, const struct rfs_c_type *object)
{
	int variable = -1;

	if (rfs_rng_chance(&plan->generator->rng, 1, 4)) {
		variable = choose_variable(plan, object, true);
		if (variable < 0 && plan->depth < DEPTH_MAX)
			variable = instantiate(plan->generator, plan->sequence, plan->section, object, plan->depth + 1);
	}
	if (variable < 0)
		variable = rfs_sequence_add_variable(plan->sequence, object, plan->section);
	return value(RFS_VALUE_ADDRESS, variable);
}

static struct rfs_value choose_callback(const struct rfs_c_type *function)
{
	bool pointer = rfs_c_plain(function->to)->kind == RFS_C_POINTER;

	return value(pointer ? RFS_VALUE_CALLBACK_IDENTITY : RFS_VALUE_CALLBACK_ZERO, 0);
}

/* A pointer to a structure. Of memory of the caller, the function may read the members, or write them. */
static struct rfs_value choose_record(struct call_plan *plan, const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);
	struct rfs_value chosen = choose_object(plan, plain);

	if (chosen.kind == RFS_VALUE_MEMORY && plain->size <= RECORD_MAX && rfs_record_value_is_plain(type))
		chosen.members = (int64_t)rfs_rng_below(&plan->generator->rng, RFS_RECORD_VALUES);
	return chosen;
}

static struct rfs_value choose_pointer(struct call_plan *plan, const struct rfs_c_type *pointer)
{
	const struct rfs_c_type *to = rfs_c_plain(pointer->to), *inner, *object = rfs_library_object(pointer);

	if (object && object == plan->from_null)
		return value(RFS_VALUE_NULL, 0);
	if (object && object->kind == RFS_C_TYPEDEF)
		return choose_object(plan, object);
	if (rfs_library_is_string(to))
		return choose_string(plan, RFS_VALUE_CXX_STRING);
	if (rfs_library_is_stream(to))
		return choose_stream(plan, to);
	switch (to->kind) {
	case RFS_C_FUNCTION:
		return choose_callback(to);
	case RFS_C_STRUCT:
	case RFS_C_UNION:
		return choose_record(plan, pointer->to);
	case RFS_C_POINTER:
		inner = rfs_library_filled_object(pointer);
		if (inner)
			return choose_slot(plan, inner);
		return value(RFS_VALUE_MEMORY, SMALL_BUFFER);
	case RFS_C_INTEGER:
		if (to->is_character)
			return rfs_c_is_const(pointer->to) ? choose_string(plan, RFS_VALUE_STRING)
							   : value(RFS_VALUE_MEMORY, BUFFER);
		return value(RFS_VALUE_MEMORY, SMALL_BUFFER);
	case RFS_C_VOID:
		return rfs_c_is_const(pointer->to) ? choose_string(plan, RFS_VALUE_STRING)
						   : value(RFS_VALUE_MEMORY, BUFFER);
	default:
		return value(RFS_VALUE_MEMORY, SMALL_BUFFER);
	}
}

/* The rule of the user's hints for a parameter; NULL: none. */
static const struct rfs_parameter_rule *rule_of(const struct call_plan *plan, size_t i)
{
	const struct rfs_library_function *function = &plan->generator->library->functions[plan->function];

	return function->rules ? &function->rules[i] : NULL;
}

static bool is_length(const struct call_plan *plan, size_t i)
{
	const struct rfs_parameter_rule *rule = rule_of(plan, i);

	return rule && rule->is_length;
}

/* How many elements the value points to. */
static int64_t length_of(const struct rfs_value *value)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type), *to = rfs_c_plain(plain->to);

	switch (value->kind) {
	case RFS_VALUE_STRING:
		return (int64_t)strlen(value->string);
	case RFS_VALUE_MEMORY:
		return to->size ? value->integer / (int64_t)to->size : value->integer;
	case RFS_VALUE_VARIABLE:
	case RFS_VALUE_ADDRESS:
		return 1;
	default:
		return 0;
	}
}

/* The length of an argument, or a smaller one. */
static struct rfs_value choose_length(struct call_plan *plan, size_t i, const struct rfs_value *values)
{
	const struct rfs_value *buffer = &values[rule_of(plan, i)->buffer];
	struct rfs_value chosen = value(RFS_VALUE_INTEGER, length_of(buffer));

	if (rfs_rng_chance(&plan->generator->rng, 1, 2))
		chosen.integer = (int64_t)rfs_rng_below(&plan->generator->rng, (uint64_t)chosen.integer + 1);
	chosen.type = plan->generator->library->functions[plan->function].type->parameters[i];
	return chosen;
}

static struct rfs_value choose_value(struct call_plan *plan, size_t i)
{
	const struct rfs_c_type *type = plan->generator->library->functions[plan->function].type->parameters[i];
	const struct rfs_parameter_rule *rule = rule_of(plan, i);
	const struct rfs_c_type *plain = rfs_c_plain(type);
	struct rfs_rng *rng = &plan->generator->rng;
	struct rfs_value chosen = value(RFS_VALUE_NULL, 0);

	if (rule && rule->n_values)
		return rule->values[rfs_rng_below(rng, rule->n_values)];
	switch (plain->kind) {
	case RFS_C_BOOL:
		chosen = value(RFS_VALUE_INTEGER, (int64_t)rfs_rng_below(rng, 2));
		break;
	case RFS_C_INTEGER:
		chosen = choose_integer(plan, plain, i);
		break;
	case RFS_C_ENUM:
		if (plain->n_values)
			chosen = value(RFS_VALUE_INTEGER, plain->values[rfs_rng_below(rng, plain->n_values)].value);
		break;
	case RFS_C_FLOAT:
		chosen = value(RFS_VALUE_REAL, 0);
		chosen.real = (double)rfs_rng_below(rng, 4) / 2;
		break;
	case RFS_C_POINTER:
		chosen = choose_pointer(plan, plain);
		break;
	case RFS_C_STRUCT:
	case RFS_C_UNION:
		if (rfs_library_is_string(plain))
			chosen = choose_string(plan, RFS_VALUE_CXX_STRING);
		else /* members of classes may be private */
			chosen = value(RFS_VALUE_RECORD,
				       plain->is_cxx ? 0 : (int64_t)rfs_rng_below(rng, RFS_RECORD_VALUES));
		break;
	default:
		break;
	}
	chosen.type = type;
	return chosen;
}

/* Whether the sequence runs to its end without concurrency. *result, *effects: of the last call of the section. */
static bool runs(struct call_plan *plan, uint64_t *result, unsigned *effects)
{
	struct rfs_generator *generator = plan->generator;
	struct rfs_trial trial;
	size_t last = 0;
	bool known;

	if (generator->is_over && generator->is_over(generator->arg)) {
		generator->broken = true;
		return false;
	}
	if (!rfs_driver_try(generator->driver, generator->library, plan->sequence, &trial)) {
		generator->broken = true;
		rfs_tried_methods_died(generator->driver->tried, plan->function);
		return false;
	}
	for (int section = RFS_PREFIX; section <= (int)plan->section; section++)
		last += plan->sequence->n[section];
	known = trial.end == RFS_TRIAL_OK && last && last <= trial.n;
	*result = known ? trial.results[last - 1] : 0;
	*effects = known ? trial.effects[last - 1] : 0;
	return trial.end == RFS_TRIAL_OK && !trial.wants_memory;
}

/* There is no null reference in C++. */
static bool references_have_objects(const struct rfs_sequence_call *call)
{
	for (size_t i = 0; i < call->n_values; i++) {
		const struct rfs_c_type *plain = rfs_c_plain(call->values[i].type);

		if (plain->is_reference && call->values[i].kind == RFS_VALUE_NULL)
			return false;
	}
	return true;
}

/* The argument at `parameter` is the variable (-1: all arguments are free). */
static void choose_values(struct call_plan *plan, size_t parameter, int variable, struct rfs_sequence_call *call)
{
	const struct rfs_c_type *type = plan->generator->library->functions[plan->function].type;

	call->n_values = type->n_parameters;
	call->values = xcalloc(call->n_values + 1, sizeof(*call->values));
	for (size_t i = 0; i < call->n_values; i++) {
		if (variable >= 0 && i == parameter) {
			call->values[i] = value(RFS_VALUE_VARIABLE, variable);
			call->values[i].type = type->parameters[i];
		} else if (!is_length(plan, i)) {
			call->values[i] = choose_value(plan, i);
		}
	}
	for (size_t i = 0; i < call->n_values; i++)
		if (is_length(plan, i))
			call->values[i] = choose_length(plan, i, call->values);
}

#define NO_RECEIVER SIZE_MAX

/*
 * Adds the call if the sequence runs with it. gives: the result of the trial must not be 0. receiver: the argument that
 * must still exist after the call, or NO_RECEIVER.
 */
static bool add_call(struct call_plan *plan, const struct rfs_sequence_call *call, const struct rfs_sequence *mark,
		     bool gives, size_t receiver)
{
	unsigned effects;
	uint64_t result;
	bool good;

	rfs_sequence_add_call(plan->sequence, plan->section, call);
	good = references_have_objects(call) && runs(plan, &result, &effects) && (!gives || result);
	if (good && frees(effects, receiver)) {
		rfs_tried_methods_ended(plan->generator->driver->tried, plan->function);
		good = false;
	}
	if (good) {
		plan->sequence->calls[plan->section][plan->sequence->n[plan->section] - 1].effects = effects;
		return true;
	}
	rfs_sequence_cut(plan->sequence, mark);
	return false;
}

/* Adds a call of the function that gets the variable, and random other arguments. False if it fails. */
static bool tasks_add_use(struct call_plan *plan, size_t parameter, int variable)
{
	const struct rfs_sequence mark = *plan->sequence;
	struct rfs_sequence_call call = {.function = plan->function, .variable = -1};

	choose_values(plan, parameter, variable, &call);
	return add_call(plan, &call, &mark, false, parameter);
}

/* Whether this argument is the first slot whose address the call gets. A trial only tells what is stored there. */
static bool is_told(const struct rfs_sequence_call *call, size_t parameter)
{
	for (size_t i = 0; i < parameter; i++)
		if (call->values[i].kind == RFS_VALUE_ADDRESS)
			return false;
	return call->values[parameter].kind == RFS_VALUE_ADDRESS;
}

/* Adds a call that returns an object, or stores one where a parameter says. Returns its variable, or -1. */
static int add_constructor(struct call_plan *plan, const struct rfs_use *use, const struct rfs_c_type *object)
{
	const struct rfs_sequence mark = *plan->sequence;
	struct rfs_sequence_call call = {.function = plan->function, .variable = -1};
	const bool returns = use->role == RFS_ROLE_RETURNS;
	int made;

	choose_values(plan, 0, -1, &call);
	if (returns)
		made = call.variable = rfs_sequence_add_variable(plan->sequence, object, plan->section);
	else
		made = call.values[use->parameter].kind == RFS_VALUE_ADDRESS ? (int)call.values[use->parameter].integer
									     : -1;
	return add_call(plan, &call, &mark, returns || is_told(&call, use->parameter), NO_RECEIVER) ? made : -1;
}

/* Whether calls of the function as a method end the life of the object. */
static bool ends_object(const struct rfs_generator *generator, const struct rfs_use *use)
{
	const unsigned ends = generator->ends && use->role == RFS_ROLE_METHOD ? generator->ends[use->function] : 0;

	return ends >= ENDS_MIN && ends != ENDS_NEVER;
}

void rfs_task_ended(struct rfs_generator *generator, size_t function, bool ended)
{
	unsigned *ends = &generator->ends[function];

	if (*ends != ENDS_NEVER)
		*ends = ended ? *ends + 1 : ENDS_NEVER;
}

/*
 * A random use with one of the roles, and one of the holds, of a function that can be called; NULL: none. Calls that
 * mostly fail are rare.
 */
static const struct rfs_use *choose_use(struct rfs_generator *generator, const struct rfs_library_type *type,
					unsigned roles, unsigned holds)
{
	const struct rfs_use *chosen = NULL;
	uint64_t all = 0;

	for (size_t i = 0; i < type->n_uses; i++) {
		const struct rfs_use *use = &type->uses[i];
		unsigned likely;

		if (!(roles & 1u << use->role) || !(holds & 1u << use->hold) ||
		    generator->library->functions[use->function].left_out || ends_object(generator, use) ||
		    (use->role <= RFS_ROLE_INITIALISES &&
		     !rfs_tried_methods_makes(generator->driver->tried, use->function)))
			continue;
		likely = rfs_tried_methods_likely(generator->driver->tried, use->function);
		all += likely;
		if (likely && rfs_rng_below(&generator->rng, all) < likely)
			chosen = use;
	}
	return chosen;
}

/* A variable with memory of the caller for an object. */
static int tasks_add_memory(struct rfs_sequence *sequence, enum rfs_section section, const struct rfs_c_type *object)
{
	struct rfs_sequence_call call = {.function = RFS_CALL_MEMORY, .n_values = 1};

	call.values = xcalloc(1, sizeof(*call.values));
	call.values[0] = value(RFS_VALUE_INTEGER, (int64_t)object->size);
	call.variable = rfs_sequence_add_variable(sequence, object, section);
	rfs_sequence_add_call(sequence, section, &call);
	return call.variable;
}

static int instantiate(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		       const struct rfs_c_type *object, int depth)
{
	const unsigned constructors = 1u << RFS_ROLE_RETURNS | 1u << RFS_ROLE_FILLS | 1u << RFS_ROLE_INITIALISES;
	const struct rfs_library_type *type = rfs_library_type_of(generator->library, object);

	for (int i = 0; type && i < CANDIDATES && !generator->broken; i++) {
		const struct rfs_use *use = choose_use(generator, type, constructors, 1u << RFS_HOLD_NONE);
		const struct rfs_sequence mark = *sequence;
		struct call_plan plan = {generator, sequence, section, use ? use->function : 0, depth, NULL};
		int made;

		if (!use)
			return -1;
		if (rfs_library_makes_from_null(generator->library, type, use))
			plan.from_null = object;
		if (use->role == RFS_ROLE_INITIALISES) {
			made = tasks_add_memory(sequence, section, object);
			made = tasks_add_use(&plan, use->parameter, made) ? made : -1;
		} else {
			made = add_constructor(&plan, use, object);
		}
		if (!generator->broken)
			rfs_tried_methods_made(generator->driver->tried, use->function, made >= 0);
		if (made >= 0)
			return made;
		rfs_sequence_cut(sequence, &mark);
	}
	return -1;
}

int rfs_task_instantiate(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
			 const struct rfs_c_type *object)
{
	return instantiate(generator, sequence, section, object, 0);
}

bool rfs_task_use(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		  size_t function, size_t parameter, int variable)
{
	struct call_plan plan = {generator, sequence, section, function, 0, NULL};

	return tasks_add_use(&plan, parameter, variable);
}

bool rfs_task_close(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		    size_t function, size_t before)
{
	const struct rfs_sequence mark = *sequence;
	const struct rfs_c_type *type = generator->library->functions[function].type;
	struct rfs_sequence_call call = {.function = function, .variable = -1, .n_values = type->n_parameters};
	struct call_plan plan = {generator, sequence, section, function, 0, NULL};

	call.values = xcalloc(call.n_values + 1, sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++) {
		call.values[i] = sequence->calls[section][before].values[i];
		call.values[i].type = type->parameters[i];
	}
	return add_call(&plan, &call, &mark, false, NO_RECEIVER);
}

const struct rfs_use *rfs_task_call(struct rfs_generator *generator, struct rfs_sequence *sequence,
				    enum rfs_section section, const struct rfs_library_type *type, int variable,
				    unsigned holds)
{
	const size_t before = rfs_call_orders_last(sequence, section, variable);
	const bool is_inside = !(holds & 1u << RFS_HOLD_OPENS);

	for (int i = 0; i < CANDIDATES && !generator->broken; i++) {
		const struct rfs_use *use = choose_use(generator, type, 1u << RFS_ROLE_METHOD, holds);
		bool works;

		if (!use)
			return NULL;
		if (!rfs_call_orders_allow(generator->orders, &generator->rng, before, use->function))
			continue;
		works = rfs_task_use(generator, sequence, section, use->function, use->parameter, variable);
		if (is_inside)
			rfs_call_orders_note(generator->orders, before, use->function, works);
		if (works || is_inside)
			return works ? use : NULL;
	}
	return NULL;
}
