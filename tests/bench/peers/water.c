/* water: molecules of three atoms attract each other, all pairs, as in SPLASH's water-nsquared. Each thread adds the
 * forces that it has computed to the molecules, which each have a lock. SIZE: molecules. */
#include "team.h"

#define STEPS 3
#define ATOMS 3

struct molecule {
	pthread_mutex_t lock;
	double position[ATOMS][3], velocity[ATOMS][3], force[ATOMS][3];
};

static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static struct molecule *molecules;
static double energy;
static long n;

/* The force of atom b on atom a; returns the energy. */
static double attract(const double a[3], const double b[3], double force[3])
{
	double square = 0.01, f;

	for (int k = 0; k < 3; k++)
		square += (a[k] - b[k]) * (a[k] - b[k]);
	f = 1 / (square * square);
	for (int k = 0; k < 3; k++)
		force[k] = f * (a[k] - b[k]);
	return f * square;
}

/* Adds the forces between molecule i and the half of the others that come after it, in a circle. */
static double forces_of(long i, double (*mine)[ATOMS][3])
{
	double sum = 0;

	for (long d = 1; d <= n / 2; d++) {
		const long j = (i + d) % n;

		for (int a = 0; a < ATOMS; a++)
			for (int b = 0; b < ATOMS; b++) {
				double force[3];

				sum += attract(molecules[i].position[a], molecules[j].position[b], force);
				for (int k = 0; k < 3; k++) {
					mine[i][a][k] += force[k];
					mine[j][b][k] -= force[k];
				}
			}
	}
	return sum;
}

static void add_forces(long i, double (*mine)[ATOMS][3])
{
	struct molecule *molecule = &molecules[i];

	pthread_mutex_lock(&molecule->lock);
	for (int a = 0; a < ATOMS; a++)
		for (int k = 0; k < 3; k++) {
			molecule->force[a][k] += mine[i][a][k]; /* PAIR */
			mine[i][a][k] = 0;
		}
	pthread_mutex_unlock(&molecule->lock);
}

static void move(struct molecule *molecule)
{
	for (int a = 0; a < ATOMS; a++)
		for (int k = 0; k < 3; k++) {
			molecule->velocity[a][k] += 1e-4 * molecule->force[a][k];
			molecule->position[a][k] += 1e-2 * molecule->velocity[a][k];
			molecule->force[a][k] = 0;
		}
}

static void *work(void *number)
{
	const long k = (intptr_t)number, first = team_first(n, k), end = team_first(n, k + 1);
	double(*mine)[ATOMS][3] = calloc((size_t)n, sizeof(*mine));

	for (int step = 0; step < STEPS; step++) {
		double sum = 0;

		for (long i = first; i < end; i++)
			sum += forces_of(i, mine);
		for (long i = 0; i < n; i++)
			add_forces((first + i) % n, mine);
		pthread_mutex_lock(&sum_lock);
		energy += sum;
		pthread_mutex_unlock(&sum_lock);
		team_wait();
		for (long i = first; i < end; i++)
			move(&molecules[i]);
		team_wait();
	}
	free(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	n = team_arguments(argc, argv);
	molecules = calloc((size_t)n, sizeof(*molecules));
	for (long i = 0; i < n; i++) {
		pthread_mutex_init(&molecules[i].lock, NULL);
		for (int a = 0; a < ATOMS; a++)
			for (int k = 0; k < 3; k++)
				molecules[i].position[a][k] = (double)(i * 7919 % 997) / 10 * (k + 1) + 0.3 * a;
	}
	team_run(work);
	printf("%d\n", energy > 0);
	return energy <= 0;
}
