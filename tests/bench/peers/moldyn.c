/* moldyn: particles attract each other, all pairs (Lennard-Jones, as Java Grande's moldyn). SIZE: particles. */
#include "team.h"

#include <math.h>

#define STEPS 4
#define STEP 1e-4

struct vector {
	double x, y, z;
};

static struct vector *position, *velocity, *force[TEAM_MAX]; /* force: one array for each thread */
static double energy[TEAM_MAX];
static long n;

/* Computes each pair once: thread k takes the particles k, k + team_size, … with all that come after them. */
static void add_forces(long k)
{
	struct vector *mine = force[k];
	double sum = 0;

	for (long i = 0; i < n; i++)
		mine[i] = (struct vector){0};
	for (long i = k; i < n; i += team_size)
		for (long j = i + 1; j < n; j++) {
			double dx = position[i].x - position[j].x, dy = position[i].y - position[j].y;
			double dz = position[i].z - position[j].z, square = dx * dx + dy * dy + dz * dz + 0.01;
			double r6 = 1 / (square * square * square), f = (48 * r6 * r6 - 24 * r6) / square;

			if (square > 9)
				continue;
			sum += 4 * (r6 * r6 - r6);
			mine[i].x += f * dx, mine[i].y += f * dy, mine[i].z += f * dz;
			mine[j].x -= f * dx, mine[j].y -= f * dy, mine[j].z -= f * dz;
		}
	energy[k] = sum; /* PAIR */
}

static void move(long i)
{
	struct vector all = {0};

	for (int t = 0; t < team_size; t++)
		all.x += force[t][i].x, all.y += force[t][i].y, all.z += force[t][i].z;
	velocity[i].x += all.x * STEP, velocity[i].y += all.y * STEP, velocity[i].z += all.z * STEP;
	position[i].x += velocity[i].x * STEP;
	position[i].y += velocity[i].y * STEP;
	position[i].z += velocity[i].z * STEP;
}

static void *work(void *number)
{
	long k = (intptr_t)number;

	for (int step = 0; step < STEPS; step++) {
		add_forces(k);
		team_wait();
		for (long i = team_first(n, k); i < team_first(n, k + 1); i++)
			move(i);
		team_wait();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long side;
	double sum = 0;

	n = team_arguments(argc, argv);
	side = (long)ceil(cbrt((double)n));
	position = calloc((size_t)n, sizeof(*position));
	velocity = calloc((size_t)n, sizeof(*velocity));
	for (long i = 0; i < n; i++)
		position[i] = (struct vector){1.2 * (double)(i % side), 1.2 * (double)(i / side % side),
					      1.2 * (double)(i / side / side)};
	for (int t = 0; t < team_size; t++)
		force[t] = calloc((size_t)n, sizeof(**force));
	team_run(work);
	for (int t = 0; t < team_size; t++)
		sum += energy[t];
	printf("%.6g\n", sum);
	return 0;
}
