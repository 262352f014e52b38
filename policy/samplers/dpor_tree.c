#include "policy/samplers/dpor_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/samplers/dpor_path.h"
#include "policy/samplers/dpor_run.h"

enum branch_state {
	BRANCH_WAITING, /* for an execution */
	BRANCH_GIVEN,	/* an execution was given and is not taken yet */
	BRANCH_RAN,
	BRANCH_STRAYED, /* its execution did not follow its plan */
};

struct node;

/* A choice at a node. The members from op on are valid if it RAN. */
struct branch {
	struct rfs_dpor_option option;
	enum branch_state state;
	struct rfs_op op;
	bool on_all;
	uint32_t *clock; /* owned */
	size_t n_clock;
	struct node *child; /* NULL: the execution ended, or all below is done */
};

struct node {
	struct node *parent;
	size_t from; /* the branch of the parent that leads here */
	size_t depth;
	int last; /* the thread of this branch; 0 at the root, where thread 0 has created the second thread */
	uint32_t preemptions;
	struct rfs_dpor_option *options;
	size_t n_options;
	bool held_back; /* a thread could run but had to let others run first */
	struct branch *branches;
	size_t n_branches, capacity, n_waiting;
	struct rfs_dpor_asleep *asleep;
	size_t n_asleep;
	uint64_t open; /* branches here and below that are waiting or given */
	bool listed;   /* in the list of the tree */
};

/* A plan that was given. node NULL: the first one, which has no choices. */
struct given {
	struct node *node;
	size_t branch;
};

struct point {
	uint64_t site, kind;
};

struct rfs_dpor_tree {
	uint32_t bound;
	bool begun;
	struct node *root;
	struct node **waiting; /* nodes with branches that wait, the deepest ones last */
	size_t n_waiting, waiting_capacity;
	struct given *given; /* in their order */
	size_t n_given, given_capacity;
	uint64_t branches_waiting;
	struct rfs_dpor_counts counts;
	struct point *points; /* sorted */
	size_t points_capacity;
	/* The execution that is being taken: the node before each event, and the events. */
	struct node **nodes;
	size_t nodes_capacity;
	struct rfs_dpor_path path;
};

struct rfs_dpor_tree *rfs_dpor_tree_new(uint32_t bound)
{
	struct rfs_dpor_tree *tree = rfs_policy_zalloc(1, sizeof(*tree));

	tree->bound = bound;
	return tree;
}

static bool is_bounded(const struct rfs_dpor_tree *tree)
{
	return tree->bound != RFS_DPOR_UNBOUNDED;
}

/* ---- nodes and branches ---- */

static void unlist(struct rfs_dpor_tree *tree, struct node *node)
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
static void free_nodes(struct rfs_dpor_tree *tree, struct node *top)
{
	struct node *node = top;

	while (node) {
		struct node *next = NULL;

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
		for (size_t i = 0; i < node->n_branches; i++)
			free(node->branches[i].clock);
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
	rfs_dpor_path_release(&tree->path);
	free(tree);
}

static struct rfs_dpor_choice choice_of(const struct branch *branch)
{
	return (struct rfs_dpor_choice){branch->option.thread, branch->option.waiter, branch->option.outcome,
					branch->state == BRANCH_RAN ? rfs_dpor_check(&branch->op) : 0};
}

static bool is_asleep(const struct node *node, const struct rfs_dpor_option *option)
{
	for (size_t i = 0; i < node->n_asleep; i++) {
		const struct rfs_dpor_choice *choice = &node->asleep[i].choice;

		if (choice->thread == option->thread && choice->waiter == option->waiter &&
		    choice->outcome == option->outcome)
			return true;
	}
	return false;
}

/* Whether the thread can run, and all that it could do is asleep. */
static bool sleeps(const struct node *node, int thread)
{
	bool any = false;

	for (size_t i = 0; i < node->n_options; i++) {
		if (node->options[i].thread != thread)
			continue;
		if (!is_asleep(node, &node->options[i]))
			return false;
		any = true;
	}
	return any;
}

static bool has_thread(const struct node *node, int thread)
{
	for (size_t i = 0; i < node->n_branches; i++)
		if (node->branches[i].option.thread == thread)
			return true;
	return false;
}

static bool can_run(const struct node *node, int thread, bool awake)
{
	for (size_t i = 0; i < node->n_options; i++)
		if (node->options[i].thread == thread && (!awake || node->options[i].awake))
			return true;
	return false;
}

/* The preemptions of a schedule that takes this thread at the node. */
static uint32_t cost_of(const struct node *node, int thread)
{
	return node->preemptions + (thread != node->last && can_run(node, node->last, true));
}

static void add_branch(struct rfs_dpor_tree *tree, struct node *node, const struct rfs_dpor_option *option)
{
	size_t at;

	node->branches =
		rfs_policy_grow(node->branches, &node->capacity, node->n_branches + 1, sizeof(*node->branches));
	node->branches[node->n_branches++] = (struct branch){.option = *option};
	node->n_waiting++;
	tree->branches_waiting++;
	for (struct node *n = node; n; n = n->parent)
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

/* Adds all choices of the thread, unless they are there. */
static void add_thread(struct rfs_dpor_tree *tree, struct node *node, int thread)
{
	if (has_thread(node, thread) || !can_run(node, thread, false))
		return;
	if (is_bounded(tree) && cost_of(node, thread) > tree->bound) {
		tree->counts.bounded = true;
		return;
	}
	for (size_t i = 0; i < node->n_options; i++)
		if (node->options[i].thread == thread && !is_asleep(node, &node->options[i]))
			add_branch(tree, node, &node->options[i]);
}

static void add_all_threads(struct rfs_dpor_tree *tree, struct node *node)
{
	for (size_t i = 0; i < node->n_options; i++)
		add_thread(tree, node, node->options[i].thread);
}

/* ---- sleep sets ---- */

static bool sleeps_on(const struct rfs_dpor_asleep *asleep, const struct branch *executed)
{
	return !asleep->on_all && !executed->on_all &&
	       !rfs_dependent(asleep->choice.thread, &asleep->op, executed->option.thread, &executed->op);
}

/* What is asleep at the node before this branch: also the earlier branches. The caller frees the list. */
static struct rfs_dpor_asleep *asleep_before(const struct node *node, size_t branch, size_t *n)
{
	struct rfs_dpor_asleep *list = rfs_policy_zalloc(node->n_asleep + branch + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < node->n_asleep; i++)
		list[(*n)++] = node->asleep[i];
	for (size_t i = 0; i < branch; i++) {
		const struct branch *b = &node->branches[i];

		if (b->state == BRANCH_RAN && b->option.thread != node->branches[branch].option.thread)
			list[(*n)++] = (struct rfs_dpor_asleep){b->op, choice_of(b), b->on_all};
	}
	return list;
}

/* What is asleep after the branch. */
static void fall_asleep(const struct node *node, size_t branch, struct node *child)
{
	size_t n, kept = 0;
	struct rfs_dpor_asleep *list = asleep_before(node, branch, &n);

	for (size_t i = 0; i < n; i++)
		if (sleeps_on(&list[i], &node->branches[branch]))
			list[kept++] = list[i];
	child->asleep = list;
	child->n_asleep = kept;
}

/* ---- plans ---- */

/* The first branch that may be executed now. Its sleep set needs the operations of the branches before it. */
static bool find_branch(const struct node *node, size_t *out)
{
	for (size_t i = 0; i < node->n_branches; i++) {
		if (node->branches[i].state == BRANCH_GIVEN)
			return false;
		if (node->branches[i].state == BRANCH_WAITING) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void write_plan(const struct rfs_dpor_tree *tree, const struct node *node, size_t branch, struct rfs_blob *out)
{
	struct rfs_dpor_plan plan = {0};
	size_t at;

	for (const struct node *n = node; n; n = n->parent)
		plan.n_choices++;
	at = plan.n_choices;
	plan.choices = rfs_policy_zalloc(plan.n_choices + 1, sizeof(*plan.choices));
	for (size_t b = branch; node; b = node->from, node = node->parent) {
		if (at == plan.n_choices && !is_bounded(tree))
			plan.asleep = asleep_before(node, branch, &plan.n_asleep);
		plan.choices[--at] = choice_of(&node->branches[b]);
	}
	rfs_dpor_plan_write(&plan, out);
	rfs_dpor_plan_release(&plan);
}

static void give(struct rfs_dpor_tree *tree, struct node *node, size_t branch, struct rfs_blob *out)
{
	write_plan(tree, node, branch, out);
	tree->given = rfs_policy_grow(tree->given, &tree->given_capacity, tree->n_given + 1, sizeof(*tree->given));
	tree->given[tree->n_given++] = (struct given){node, branch};
	if (!node)
		return;
	node->branches[branch].state = BRANCH_GIVEN;
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

/* ---- races ---- */

struct search {
	const struct node *node;
	int choice; /* the first thread that can be added; -1: none */
};

/* True if another execution covers what the thread would begin. */
static bool covers(void *arg, int thread)
{
	struct search *search = arg;

	if (has_thread(search->node, thread) || sleeps(search->node, thread))
		return true;
	if (can_run(search->node, thread, false))
		search->choice = thread;
	return false;
}

/* The second thread of a race was the last one to be asked, and is preferred. False if no other order is possible. */
static bool add_source(struct rfs_dpor_tree *tree, size_t i, size_t j)
{
	struct search search = {tree->nodes[i], -1};

	if (rfs_dpor_path_initials(&tree->path, i, j, covers, &search))
		return true;
	if (search.choice >= 0)
		add_thread(tree, tree->nodes[i], search.choice);
	else if (tree->nodes[i]->held_back)
		add_all_threads(tree, tree->nodes[i]); /* a third thread may let the second one run */
	return search.choice >= 0;
}

/*
 * Adds all threads at the node of the first operation of a race, and where its thread began to run without a
 * preemption. Before that, the thread could not run all the time.
 */
static void add_conservatively(struct rfs_dpor_tree *tree, size_t i)
{
	const int thread = tree->path.events[i].thread;

	add_all_threads(tree, tree->nodes[i]);
	for (size_t k = i + 1; k-- > 0;) {
		struct node *node = tree->nodes[k];

		if (tree->path.events[k].thread == thread && !can_run(node, node->last, true))
			add_all_threads(tree, node);
		if (!can_run(node, thread, true))
			break;
	}
}

/* Looks for the races whose second operation is the last event of the path. */
static void find_races(struct rfs_dpor_tree *tree)
{
	const size_t j = tree->path.n - 1;
	const int thread = tree->path.events[j].thread;
	size_t reversed = j; /* the first operation of the last race that another schedule may reverse */

	for (size_t i = j; i-- > 0;) {
		if (!rfs_dpor_path_races(&tree->path, i, j))
			continue;
		/* the second operation cannot come first, because it waited then */
		if (!can_run(tree->nodes[i], thread, false) && !tree->nodes[i]->held_back &&
		    !rfs_dpor_path_needs(&tree->path, i, j))
			continue;
		if (is_bounded(tree))
			add_conservatively(tree, i);
		else if (tree->path.events[j].never_waits && reversed < j &&
			 rfs_dpor_path_before(&tree->path, i, reversed))
			continue; /* in that schedule, the two are a race without an operation between them */
		else if (add_source(tree, i, j))
			reversed = i;
	}
}

/* ---- executions ---- */

static void note_point(struct rfs_dpor_tree *tree, const struct node *node, const struct rfs_op *op)
{
	const struct point point = {op->site, op->kind};
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
static void append(struct rfs_dpor_tree *tree, struct node *node, struct branch *branch)
{
	struct rfs_dpor_event *event;

	tree->nodes = rfs_policy_grow(tree->nodes, &tree->nodes_capacity, tree->path.n + 1, sizeof(*tree->nodes));
	tree->nodes[tree->path.n] = node;
	event = rfs_dpor_path_add(&tree->path, branch->option.thread, &branch->op, branch->on_all);
	if (branch->clock) {
		event->clock = branch->clock;
		event->n_clock = branch->n_clock;
		return;
	}
	branch->clock = rfs_dpor_path_clock(&tree->path);
	branch->n_clock = tree->path.events[tree->path.n - 1].n_clock;
}

/* Puts the events before the node on the path. */
static void begin_path(struct rfs_dpor_tree *tree, const struct node *node)
{
	const struct node **line;
	size_t n = 0, i;

	rfs_dpor_path_cut(&tree->path, 0);
	for (const struct node *at = node; at; at = at->parent)
		n++;
	line = rfs_policy_zalloc(n + 1, sizeof(*line));
	i = n;
	for (const struct node *at = node; at; at = at->parent)
		line[--i] = at;
	for (i = 0; i + 1 < n; i++) {
		struct node *parent = line[i + 1]->parent;

		append(tree, parent, &parent->branches[line[i + 1]->from]);
	}
	free(line);
}

static struct node *new_node(struct node *parent, size_t from, const struct rfs_dpor_trace *trace,
			     const struct rfs_dpor_step *step)
{
	struct node *node = rfs_policy_zalloc(1, sizeof(*node));

	node->parent = parent;
	node->from = from;
	node->depth = parent ? parent->depth + 1 : 0;
	node->last = parent ? parent->branches[from].option.thread : 0;
	node->preemptions = parent ? cost_of(parent, node->last) : 0;
	node->held_back = step->held_back > 0;
	node->n_options = step->n_options;
	node->options = rfs_policy_zalloc(step->n_options + 1, sizeof(*node->options));
	if (step->n_options)
		memcpy(node->options, &trace->options[step->option], step->n_options * sizeof(*node->options));
	return node;
}

static void execute(struct branch *branch, const struct rfs_dpor_step *step)
{
	branch->state = BRANCH_RAN;
	branch->op = step->op;
	branch->on_all = step->on_all;
}

/* Adds the node that the execution has reached, with the choice that it made there as its first branch. */
static struct node *grow(struct rfs_dpor_tree *tree, struct node *parent, size_t from,
			 const struct rfs_dpor_trace *trace, const struct rfs_dpor_step *step)
{
	struct node *node = new_node(parent, from, trace, step);
	const struct rfs_dpor_option taken = {step->thread, step->waiter, step->outcome, 0};

	if (parent) {
		parent->branches[from].child = node;
		if (!is_bounded(tree))
			fall_asleep(parent, from, node);
	} else {
		tree->root = node;
	}
	node->branches = rfs_policy_grow(node->branches, &node->capacity, 1, sizeof(*node->branches));
	node->branches[node->n_branches++] = (struct branch){.option = taken};
	execute(&node->branches[0], step);
	for (size_t i = 0; i < node->n_options; i++) {
		const struct rfs_dpor_option *option = &node->options[i];

		if (option->thread == taken.thread && !is_asleep(node, option) &&
		    (option->waiter != taken.waiter || option->outcome != taken.outcome))
			add_branch(tree, node, option);
	}
	return node;
}

/* A branch is no longer waiting or given. */
static void settle(struct node *node)
{
	for (; node; node = node->parent)
		node->open--;
}

/* Frees what needs no more executions, from this node upwards. */
static void prune(struct rfs_dpor_tree *tree, struct node *node)
{
	struct node *done = NULL;

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

static void take_steps(struct rfs_dpor_tree *tree, struct node *node, size_t branch, const struct rfs_dpor_trace *trace,
		       struct node **end)
{
	for (size_t i = 0; i < trace->n_steps; i++) {
		const struct rfs_dpor_step *step = &trace->steps[i];

		if (i == 0 && node) {
			execute(&node->branches[branch], step);
		} else {
			node = grow(tree, node, branch, trace, step);
			branch = 0;
		}
		append(tree, node, &node->branches[branch]);
		note_point(tree, node, &step->op);
		find_races(tree);
	}
	*end = node;
	for (size_t i = 0; i < trace->n_left; i++) {
		const struct rfs_dpor_left *left = &trace->left[i];
		uint32_t *clock;

		rfs_dpor_path_add(&tree->path, left->thread, &left->op, false);
		clock = rfs_dpor_path_clock(&tree->path);
		find_races(tree);
		rfs_dpor_path_cut(&tree->path, tree->path.n - 1);
		free(clock);
	}
}

int rfs_dpor_add(struct rfs_dpor_tree *tree, const struct rfs_blob *saved)
{
	struct rfs_dpor_trace trace;
	struct given given;
	struct node *end;
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
		settle(given.node);
	if (follows) {
		begin_path(tree, given.node);
		take_steps(tree, given.node, given.branch, &trace, &end);
		if (tree->path.n > tree->counts.steps)
			tree->counts.steps = tree->path.n;
	} else if (given.node) {
		given.node->branches[given.branch].state = BRANCH_STRAYED;
	}
	if (!follows)
		tree->counts.strayed++;
	else if (trace.cut)
		tree->counts.cut++;
	else if (trace.redundant)
		tree->counts.redundant++;
	else
		tree->counts.complete++;
	prune(tree, end);
	rfs_dpor_trace_release(&trace);
	return 0;
}

void rfs_dpor_counts(const struct rfs_dpor_tree *tree, struct rfs_dpor_counts *out)
{
	*out = tree->counts;
}
