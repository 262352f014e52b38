/* grid: particles in a grid of cells that each have a lock, as in PARSEC's fluidanimate. SIZE: cells in a row. */
#include "team.h"

#define STEPS 4
#define ROOM 12 /* particles of a cell at most */
#define START 4

struct particle {
	double x, y, vx, vy, density;
};

struct cell {
	pthread_mutex_t lock;
	int n;
	struct particle particles[ROOM];
};

static struct cell *cells, *next;
static long side;

/* A number between 0 and 1. */
static double scatter(long i)
{
	return (double)((unsigned long)i * 2654435761u % 1009) / 1009;
}

static long clamp(long i)
{
	return i < 0 ? 0 : i >= side ? side - 1 : i;
}

/* Adds what the particles of two cells are to each other. A neighbour may be another thread's, so both locks are
 * needed. */
static void add_density(struct cell *a, struct cell *b)
{
	for (int i = 0; i < a->n; i++)
		for (int j = 0; j < b->n; j++) {
			struct particle *p = &a->particles[i], *q = &b->particles[j];
			const double dx = p->x - q->x, dy = p->y - q->y, square = dx * dx + dy * dy;
			const double part = 1 - square;

			if (p == q || square > 1)
				continue;
			pthread_mutex_lock(&a->lock);
			p->density += part * part; /* PAIR */
			pthread_mutex_unlock(&a->lock);
			pthread_mutex_lock(&b->lock);
			q->density += part * part;
			pthread_mutex_unlock(&b->lock);
		}
}

static void densities_of_row(long y)
{
	for (long x = 0; x < side; x++) {
		struct cell *cell = &cells[y * side + x];

		add_density(cell, cell);
		if (x + 1 < side)
			add_density(cell, cell + 1);
		for (long dx = -1; dx <= 1 && y + 1 < side; dx++)
			if (x + dx >= 0 && x + dx < side)
				add_density(cell, cell + side + dx);
	}
}

/* Moves the particles of a row to their cells of the next step. */
static void move_row(long y)
{
	for (long x = 0; x < side; x++)
		for (int i = 0; i < cells[y * side + x].n; i++) {
			struct particle p = cells[y * side + x].particles[i];
			struct cell *to;

			p.vx += 0.01 * (p.density - 3), p.vy -= 0.01 * (p.density - 3);
			p.x += 0.1 * p.vx, p.y += 0.1 * p.vy;
			to = &next[clamp((long)p.y) * side + clamp((long)p.x)];
			p.density = 0;
			pthread_mutex_lock(&to->lock);
			if (to->n < ROOM)
				to->particles[to->n++] = p;
			pthread_mutex_unlock(&to->lock);
		}
}

static void *work(void *number)
{
	const long k = (intptr_t)number, first = team_first(side, k), end = team_first(side, k + 1);

	for (int step = 0; step < STEPS; step++) {
		for (long y = first; y < end; y++)
			densities_of_row(y);
		team_wait();
		for (long i = first * side; i < end * side; i++)
			next[i].n = 0;
		team_wait();
		for (long y = first; y < end; y++)
			move_row(y);
		team_wait();
		if (k == 0) {
			struct cell *old = cells;

			cells = next;
			next = old;
		}
		team_wait();
	}
	return NULL;
}

static struct cell *make_cells(void)
{
	struct cell *made = calloc((size_t)(side * side), sizeof(*made));

	for (long i = 0; i < side * side; i++)
		pthread_mutex_init(&made[i].lock, NULL);
	return made;
}

int main(int argc, char **argv)
{
	long n = 0;

	side = team_arguments(argc, argv);
	cells = make_cells();
	next = make_cells();
	for (long i = 0; i < side * side; i++)
		for (int k = 0; k < START; k++)
			cells[i].particles[cells[i].n++] = (struct particle){
				.x = (double)(i % side) + scatter(2 * n),
				.y = (double)(i / side) + scatter(2 * n++ + 1),
			};
	team_run(work);
	n = 0;
	for (long i = 0; i < side * side; i++)
		n += cells[i].n;
	printf("%d\n", n > 0);
	return n <= 0;
}
