/*
 * dpor_tree.c - nodes, branches and sleep sets: chooses the next plans, and adds branches for the races of a trace.
 */
#include "policy/dpor/dpor_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/dpor/dpor_run.h"
#include "policy/dpor/dpor_tree-priv.h"
#include "policy/dpor/dpor_wake.h"
#include "policy/operations.h"
#include "policy/results.h"

struct rfs_dpor_tree *rfs_dpor_tree_new(uint32_t bound)
{
	struct rfs_dpor_tree *tree = rfs_policy_zalloc(1, sizeof(*tree));

	tree->bound = bound;
	return tree;
}

bool rfs_dpor_is_bounded(const struct rfs_dpor_tree *tree)
{
	return tree->bound != RFS_DPOR_UNBOUNDED;
}

/* ---- nodes and branches ---- */

static void unlist(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node)
{
	if (!node->listed)
		return;
	for (size_t i = tree->n_waiting; i-- > 0;)
		if (tree->waiting[i] == node) {
			memmove(&tree->waiting[i], &tree->waiting[i + 1],
				(--tree->n_waiting - i) * sizeof(*tree->waiting));
			break;
		}
	node->listed = false;
}

/* Frees the node and all below. Not recursive, because an execution may have many steps. */
static void free_nodes(struct rfs_dpor_tree *tree, struct rfs_dpor_node *top)
{
	struct rfs_dpor_node *node = top;

	while (node) {
		struct rfs_dpor_node *next = NULL;

		for (size_t i = node->n_branches; i-- > 0 && !next;) {
			next = node->branches[i].child;
			node->branches[i].child = NULL;
		}
		if (next) {
			node = next;
			continue;
		}
		next = node == top ? NULL : node->parent;
		unlist(tree, node);
		for (size_t i = 0; i < node->n_branches; i++) {
			free(node->branches[i].clock);
			rfs_dpor_wake_release(&node->branches[i].wake);
		}
		free(node->branches);
		free(node->options);
		free(node->asleep);
		free(node);
		node = next;
	}
}

void rfs_dpor_tree_free(struct rfs_dpor_tree *tree)
{
	if (!tree)
		return;
	free_nodes(tree, tree->root);
	free(tree->waiting);
	free(tree->given);
	free(tree->points);
	free(tree->nodes);
	free(tree->ran);
	free(tree->sequence);
	rfs_dpor_path_release(&tree->path);
	free(tree);
}

static int dpor_tree_thread_of(const struct rfs_dpor_branch *branch)
{
	return branch->wake.next.choice.thread;
}

static struct rfs_dpor_choice choice_of(const struct rfs_dpor_branch *branch)
{
	struct rfs_dpor_choice choice = branch->wake.next.choice;

	choice.check = branch->state == RFS_DPOR_RAN ? rfs_dpor_check(&branch->wake.next.op) : 0;
	return choice;
}

/* The option of a node, as a choice. */
struct rfs_dpor_choice rfs_dpor_choice_of(const struct rfs_dpor_option *option)
{
	return (struct rfs_dpor_choice){option->thread, option->waiter, option->outcome, 0};
}

static bool dpor_tree_is_asleep(const struct rfs_dpor_node *node, const struct rfs_dpor_choice *choice)
{
	for (size_t i = 0; i < node->n_asleep; i++)
		if (rfs_dpor_same_choice(&node->asleep[i].choice, choice))
			return true;
	return false;
}

static bool has_branch(const struct rfs_dpor_node *node, const struct rfs_dpor_choice *choice)
{
	for (size_t i = 0; i < node->n_branches; i++)
		if (rfs_dpor_same_choice(&node->branches[i].wake.next.choice, choice))
			return true;
	return false;
}

/* Whether the choice could be made at the node. */
bool rfs_dpor_has_option(const struct rfs_dpor_node *node, const struct rfs_dpor_choice *choice)
{
	for (size_t i = 0; i < node->n_options; i++) {
		const struct rfs_dpor_choice option = rfs_dpor_choice_of(&node->options[i]);

		if (rfs_dpor_same_choice(&option, choice))
			return true;
	}
	return false;
}

static bool has_thread(const struct rfs_dpor_node *node, int thread)
{
	for (size_t i = 0; i < node->n_branches; i++)
		if (dpor_tree_thread_of(&node->branches[i]) == thread)
			return true;
	return false;
}

bool rfs_dpor_can_run(const struct rfs_dpor_node *node, int thread, bool awake)
{
	for (size_t i = 0; i < node->n_options; i++)
		if (node->options[i].thread == thread && (!awake || node->options[i].awake))
			return true;
	return false;
}

/* The preemptions of a schedule that takes this thread at the node. */
static uint32_t cost_of(const struct rfs_dpor_node *node, int thread)
{
	return node->preemptions + (thread != node->last && rfs_dpor_can_run(node, node->last, true));
}

/* The branch owns what is in the wakeup tree. */
void rfs_dpor_add_branch(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, struct rfs_dpor_wake wake)
{
	size_t at;

	node->branches =
		rfs_policy_grow(node->branches, &node->capacity, node->n_branches + 1, sizeof(*node->branches));
	node->branches[node->n_branches++] = (struct rfs_dpor_branch){.wake = wake};
	node->n_waiting++;
	tree->branches_waiting++;
	for (struct rfs_dpor_node *n = node; n; n = n->parent)
		n->open++;
	if (node->listed)
		return;
	tree->waiting =
		rfs_policy_grow(tree->waiting, &tree->waiting_capacity, tree->n_waiting + 1, sizeof(*tree->waiting));
	at = tree->n_waiting++;
	for (; at > 0 && tree->waiting[at - 1]->depth > node->depth; at--)
		tree->waiting[at] = tree->waiting[at - 1];
	tree->waiting[at] = node;
	node->listed = true;
}

static void dpor_tree_add_option(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node,
				 const struct rfs_dpor_option *option)
{
	const struct rfs_dpor_choice choice = rfs_dpor_choice_of(option);

	if (!dpor_tree_is_asleep(node, &choice) && !has_branch(node, &choice))
		rfs_dpor_add_branch(tree, node, (struct rfs_dpor_wake){.next = {.choice = choice}});
}

/* Adds all choices of the thread, unless they are there. */
void rfs_dpor_add_thread(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, int thread)
{
	if (has_thread(node, thread) || !rfs_dpor_can_run(node, thread, false))
		return;
	if (rfs_dpor_is_bounded(tree) && cost_of(node, thread) > tree->bound) {
		tree->counts.bounded = true;
		return;
	}
	for (size_t i = 0; i < node->n_options; i++)
		if (node->options[i].thread == thread)
			dpor_tree_add_option(tree, node, &node->options[i]);
}

void rfs_dpor_add_all_threads(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node)
{
	for (size_t i = 0; i < node->n_options; i++)
		rfs_dpor_add_thread(tree, node, node->options[i].thread);
}

/* ---- sleep sets ---- */

static bool dpor_tree_sleeps_on(const struct rfs_dpor_asleep *asleep, const struct rfs_dpor_branch *executed)
{
	const struct rfs_dpor_next *next = &executed->wake.next;

	return !asleep->on_all && !next->on_all &&
	       !rfs_dependent(asleep->choice.thread, &asleep->op, next->choice.thread, &next->op);
}

/* What is asleep at the node before this branch: also the earlier branches. The caller frees the list. */
static struct rfs_dpor_asleep *asleep_before(const struct rfs_dpor_node *node, size_t branch, size_t *n)
{
	struct rfs_dpor_asleep *list = rfs_policy_zalloc(node->n_asleep + branch + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < node->n_asleep; i++)
		list[(*n)++] = node->asleep[i];
	for (size_t i = 0; i < branch; i++) {
		const struct rfs_dpor_branch *b = &node->branches[i];

		if (b->state == RFS_DPOR_RAN && dpor_tree_thread_of(b) != dpor_tree_thread_of(&node->branches[branch]))
			list[(*n)++] = (struct rfs_dpor_asleep){b->wake.next.op, choice_of(b), b->wake.next.on_all};
	}
	return list;
}

/* What is asleep after the branch. */
static void dpor_tree_fall_asleep(const struct rfs_dpor_node *node, size_t branch, struct rfs_dpor_node *child)
{
	size_t n, kept = 0;
	struct rfs_dpor_asleep *list = asleep_before(node, branch, &n);

	for (size_t i = 0; i < n; i++)
		if (dpor_tree_sleeps_on(&list[i], &node->branches[branch]))
			list[kept++] = list[i];
	child->asleep = list;
	child->n_asleep = kept;
}

/* ---- plans ---- */

/* The first branch that may be executed now. Its sleep set needs the operations of the branches before it. */
static bool find_branch(const struct rfs_dpor_node *node, size_t *out)
{
	for (size_t i = 0; i < node->n_branches; i++) {
		if (node->branches[i].state == RFS_DPOR_GIVEN)
			return false;
		if (node->branches[i].state == RFS_DPOR_WAITING) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void write_plan(const struct rfs_dpor_tree *tree, const struct rfs_dpor_node *node, size_t branch,
		       struct rfs_blob *out)
{
	static const struct rfs_dpor_branch none;
	const struct rfs_dpor_branch *first = node ? &node->branches[branch] : &none;
	struct rfs_dpor_plan plan = {0};
	size_t at;

	for (const struct rfs_dpor_node *n = node; n; n = n->parent)
		plan.n_choices++;
	at = plan.n_choices;
	plan.choices = rfs_policy_zalloc(plan.n_choices + 1, sizeof(*plan.choices));
	for (size_t b = branch; node; b = node->from, node = node->parent) {
		if (at == plan.n_choices && !rfs_dpor_is_bounded(tree))
			plan.asleep = asleep_before(node, branch, &plan.n_asleep);
		plan.choices[--at] = choice_of(&node->branches[b]);
	}
	for (const struct rfs_dpor_wake *wake = &first->wake; wake->n; wake = &wake->then[0])
		plan.n_guide++;
	plan.guide = rfs_policy_zalloc(plan.n_guide + 1, sizeof(*plan.guide));
	at = 0;
	for (const struct rfs_dpor_wake *wake = &first->wake; wake->n; wake = &wake->then[0])
		plan.guide[at++] = wake->then[0].next.choice;
	rfs_dpor_plan_write(&plan, out);
	rfs_dpor_plan_release(&plan);
}

static void give(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, size_t branch, struct rfs_blob *out)
{
	write_plan(tree, node, branch, out);
	tree->given = rfs_policy_grow(tree->given, &tree->given_capacity, tree->n_given + 1, sizeof(*tree->given));
	tree->given[tree->n_given++] = (struct rfs_dpor_given){node, branch};
	if (!node)
		return;
	node->branches[branch].state = RFS_DPOR_GIVEN;
	tree->branches_waiting--;
	if (--node->n_waiting == 0)
		unlist(tree, node);
}

size_t rfs_dpor_next(struct rfs_dpor_tree *tree, struct rfs_blob *out, size_t most)
{
	size_t n = 0, branch;

	if (!tree->begun && most) {
		tree->begun = true;
		give(tree, NULL, 0, &out[n++]);
		return n;
	}
	for (size_t i = tree->n_waiting; i-- > 0 && n < most;)
		if (find_branch(tree->waiting[i], &branch))
			give(tree, tree->waiting[i], branch, &out[n++]);
	return n;
}

uint64_t rfs_dpor_waiting(const struct rfs_dpor_tree *tree)
{
	return tree->branches_waiting + tree->n_given + !tree->begun;
}

/* ---- executions ---- */

static void dpor_tree_note_point(struct rfs_dpor_tree *tree, const struct rfs_dpor_node *node, const struct rfs_op *op)
{
	const struct rfs_dpor_point point = {op->site, op->kind};
	size_t low = 0, high = tree->counts.points;

	if (!op->site || !node->n_options || node->options[0].thread == node->options[node->n_options - 1].thread)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = memcmp(&tree->points[middle], &point, sizeof(point));

		if (order == 0)
			return;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	tree->points =
		rfs_policy_grow(tree->points, &tree->points_capacity, tree->counts.points + 1, sizeof(*tree->points));
	memmove(&tree->points[low + 1], &tree->points[low], (tree->counts.points - low) * sizeof(point));
	tree->points[low] = point;
	tree->counts.points++;
}

/* Appends the node and the executed branch to the path, with the clock of its event. */
static void dpor_tree_append(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, struct rfs_dpor_branch *branch)
{
	const struct rfs_dpor_next *next = &branch->wake.next;
	struct rfs_dpor_event *event;

	tree->nodes = rfs_policy_grow(tree->nodes, &tree->nodes_capacity, tree->path.n + 1, sizeof(*tree->nodes));
	tree->nodes[tree->path.n] = node;
	tree->ran = rfs_policy_grow(tree->ran, &tree->ran_capacity, tree->path.n + 1, sizeof(*tree->ran));
	tree->ran[tree->path.n] = *next;
	event = rfs_dpor_path_add(&tree->path, next);
	if (branch->clock) {
		event->clock = branch->clock;
		event->n_clock = branch->n_clock;
		return;
	}
	branch->clock = rfs_dpor_path_clock(&tree->path);
	branch->n_clock = tree->path.events[tree->path.n - 1].n_clock;
}

/* Puts the events before the node on the path. */
static void begin_path(struct rfs_dpor_tree *tree, const struct rfs_dpor_node *node)
{
	const struct rfs_dpor_node **line;
	size_t n = 0, i;

	rfs_dpor_path_cut(&tree->path, 0);
	for (const struct rfs_dpor_node *at = node; at; at = at->parent)
		n++;
	line = rfs_policy_zalloc(n + 1, sizeof(*line));
	i = n;
	for (const struct rfs_dpor_node *at = node; at; at = at->parent)
		line[--i] = at;
	for (i = 0; i + 1 < n; i++) {
		struct rfs_dpor_node *parent = line[i + 1]->parent;

		dpor_tree_append(tree, parent, &parent->branches[line[i + 1]->from]);
	}
	free(line);
}

static struct rfs_dpor_node *new_node(struct rfs_dpor_node *parent, size_t from, const struct rfs_dpor_trace *trace,
				      const struct rfs_dpor_step *step)
{
	struct rfs_dpor_node *node = rfs_policy_zalloc(1, sizeof(*node));

	node->parent = parent;
	node->from = from;
	node->depth = parent ? parent->depth + 1 : 0;
	node->last = parent ? dpor_tree_thread_of(&parent->branches[from]) : 0;
	node->preemptions = parent ? cost_of(parent, node->last) : 0;
	node->held_back = step->held_back > 0;
	node->n_options = step->n_options;
	node->options = rfs_policy_zalloc(step->n_options + 1, sizeof(*node->options));
	if (step->n_options)
		memcpy(node->options, &trace->options[step->option], step->n_options * sizeof(*node->options));
	return node;
}

static void dpor_tree_execute(struct rfs_dpor_branch *branch, const struct rfs_dpor_step *step)
{
	branch->state = RFS_DPOR_RAN;
	branch->wake.next.op = step->op;
	branch->wake.next.on_all = step->on_all;
}

/*
 * Gives the new node the sequences that the branch before it had. The execution has taken the first one, unless that
 * was not possible.
 */
static void hand_down(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, struct rfs_dpor_wake *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct rfs_dpor_wake *wake = &from->then[i];
		struct rfs_dpor_branch *taken = &node->branches[0];

		if (rfs_dpor_same_choice(&wake->next.choice, &taken->wake.next.choice)) {
			taken->wake.then = wake->then;
			taken->wake.n = wake->n;
			taken->wake.capacity = wake->capacity;
			continue;
		}
		if (rfs_dpor_has_option(node, &wake->next.choice) && !dpor_tree_is_asleep(node, &wake->next.choice)) {
			rfs_dpor_add_branch(tree, node, *wake);
			continue;
		}
		rfs_dpor_add_thread(tree, node, wake->next.choice.thread);
		if (node->held_back)
			rfs_dpor_add_all_threads(tree, node);
		rfs_dpor_wake_release(wake);
	}
	free(from->then);
	from->then = NULL;
	from->n = from->capacity = 0;
}

/* Adds the node that the execution has reached, with the choice that it made there as its first branch. */
static struct rfs_dpor_node *dpor_tree_grow(struct rfs_dpor_tree *tree, struct rfs_dpor_node *parent, size_t from,
					    const struct rfs_dpor_trace *trace, const struct rfs_dpor_step *step)
{
	struct rfs_dpor_node *node = new_node(parent, from, trace, step);
	const struct rfs_dpor_choice taken = {step->thread, step->waiter, step->outcome, 0};

	if (parent) {
		parent->branches[from].child = node;
		if (!rfs_dpor_is_bounded(tree))
			dpor_tree_fall_asleep(parent, from, node);
	} else {
		tree->root = node;
	}
	node->branches = rfs_policy_grow(node->branches, &node->capacity, 1, sizeof(*node->branches));
	node->branches[node->n_branches++] = (struct rfs_dpor_branch){.wake = {.next = {.choice = taken}}};
	dpor_tree_execute(&node->branches[0], step);
	if (parent)
		hand_down(tree, node, &parent->branches[from].wake);
	for (size_t i = 0; i < node->n_options; i++)
		if (node->options[i].thread == taken.thread)
			dpor_tree_add_option(tree, node, &node->options[i]);
	return node;
}

/* A branch is no longer waiting or given. */
static void dpor_tree_settle(struct rfs_dpor_node *node)
{
	for (; node; node = node->parent)
		node->open--;
}

/* Frees what needs no more executions, from this node upwards. */
static void dpor_tree_prune(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node)
{
	struct rfs_dpor_node *done = NULL;

	for (; node && node->open == 0; node = node->parent)
		done = node;
	if (!done)
		return;
	if (done->parent)
		done->parent->branches[done->from].child = NULL;
	else
		tree->root = NULL;
	free_nodes(tree, done);
}

static void take_steps(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, size_t branch,
		       const struct rfs_dpor_trace *trace, struct rfs_dpor_node **end)
{
	const size_t first = 0;

	for (size_t i = 0; i < trace->n_steps; i++) {
		const struct rfs_dpor_step *step = &trace->steps[i];

		if (i == 0 && node) {
			dpor_tree_execute(&node->branches[branch], step);
		} else {
			node = dpor_tree_grow(tree, node, branch, trace, step);
			branch = 0;
		}
		dpor_tree_append(tree, node, &node->branches[branch]);
		dpor_tree_note_point(tree, node, &step->op);
	}
	*end = node;
	tree->maximal = !trace->redundant && !trace->cut && !(tree->path.n && tree->ran[tree->path.n - 1].on_all);
	for (size_t j = first; j < tree->path.n; j++)
		rfs_dpor_find_races(tree, j);
	for (size_t i = 0; i < trace->n_left; i++) {
		const struct rfs_dpor_left *left = &trace->left[i];
		uint32_t *clock;

		tree->ran = rfs_policy_grow(tree->ran, &tree->ran_capacity, tree->path.n + 1, sizeof(*tree->ran));
		tree->ran[tree->path.n] =
			(struct rfs_dpor_next){.choice = {left->thread, -1, RFS_OUTCOME_DONE, 0}, .op = left->op};
		(void)rfs_dpor_path_add(&tree->path, &tree->ran[tree->path.n]);
		clock = rfs_dpor_path_clock(&tree->path);
		rfs_dpor_find_races(tree, tree->path.n - 1);
		rfs_dpor_path_cut(&tree->path, tree->path.n - 1);
		free(clock);
	}
}

int rfs_dpor_add(struct rfs_dpor_tree *tree, const struct rfs_blob *saved)
{
	struct rfs_dpor_trace trace;
	struct rfs_dpor_given given;
	struct rfs_dpor_node *end;
	bool follows;
	int error;

	if (!tree->n_given)
		return -EINVAL;
	error = rfs_dpor_trace_read(saved, &trace);
	if (error)
		return error;
	given = tree->given[0];
	memmove(tree->given, tree->given + 1, --tree->n_given * sizeof(*tree->given));
	end = given.node;
	follows = !trace.strayed && (!given.node || trace.n_steps > 0);
	if (given.node)
		dpor_tree_settle(given.node);
	if (follows) {
		begin_path(tree, given.node);
		take_steps(tree, given.node, given.branch, &trace, &end);
		if (tree->path.n > tree->counts.steps)
			tree->counts.steps = tree->path.n;
	} else if (given.node) {
		given.node->branches[given.branch].state = RFS_DPOR_STRAYED;
	}
	tree->counts.repeated += trace.repeated;
	tree->counts.timed += trace.timed;
	if (!follows)
		tree->counts.strayed++;
	else if (trace.cut)
		tree->counts.cut++;
	else if (trace.redundant)
		tree->counts.redundant++;
	else
		tree->counts.complete++;
	dpor_tree_prune(tree, end);
	rfs_dpor_trace_release(&trace);
	return 0;
}

void rfs_dpor_counts(const struct rfs_dpor_tree *tree, struct rfs_dpor_counts *out)
{
	*out = tree->counts;
}
