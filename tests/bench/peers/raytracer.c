/* raytracer: 64 spheres, one light, reflections (as Java Grande's raytracer). SIZE: rows and columns of the picture. */
#include "team.h"

#include <math.h>

#define SPHERES 64

struct vector {
	double x, y, z;
};

static struct sphere {
	struct vector centre;
	double radius, shine;
} * spheres;
static unsigned *picture;
static long size, checksum;
static pthread_mutex_t checksum_lock = PTHREAD_MUTEX_INITIALIZER;

static double dot(struct vector a, struct vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector along(struct vector from, double t, struct vector way)
{
	return (struct vector){from.x + t * way.x, from.y + t * way.y, from.z + t * way.z};
}

static struct vector unit(struct vector v)
{
	double length = sqrt(dot(v, v));

	return (struct vector){v.x / length, v.y / length, v.z / length};
}

/* The first sphere that a ray hits, or NULL. *t is the distance. */
static const struct sphere *hit(struct vector from, struct vector way, double *t)
{
	const struct sphere *nearest = NULL;

	*t = INFINITY;
	for (int i = 0; i < SPHERES; i++) {
		const struct sphere *s = &spheres[i];
		struct vector to = along(s->centre, -1, from);
		double b = dot(to, way), d = b * b - dot(to, to) + s->radius * s->radius, at;

		at = d < 0 ? -1 : b - sqrt(d);
		if (at > 1e-6 && at < *t)
			*t = at, nearest = s;
	}
	return nearest;
}

static double trace(struct vector from, struct vector way, int depth)
{
	const struct vector light = {0.57, 0.57, -0.57};
	double t, shade, ignored;
	const struct sphere *s = hit(from, way, &t);
	struct vector at, normal;

	if (!s)
		return 0.2 + 0.1 * way.y;
	at = along(from, t, way);
	normal = unit(along(at, -1, s->centre));
	shade = hit(at, light, &ignored) ? 0 : fmax(0, dot(normal, light));
	if (depth > 0)
		shade += s->shine * trace(at, unit(along(way, -2 * dot(way, normal), normal)), depth - 1);
	return shade;
}

static void *work(void *number)
{
	long sum = 0;

	for (long row = (intptr_t)number; row < size; row += team_size)
		for (long column = 0; column < size; column++) {
			struct vector way = {(double)(2 * column - size) / (double)size,
					     (double)(2 * row - size) / (double)size, 1.5};
			unsigned value = (unsigned)(255 * fmin(1, trace((struct vector){0, 0, -6}, unit(way), 2)));

			picture[row * size + column] = value;
			sum += value;
		}
	pthread_mutex_lock(&checksum_lock);
	checksum += sum; /* PAIR */
	pthread_mutex_unlock(&checksum_lock);
	return NULL;
}

int main(int argc, char **argv)
{
	size = team_arguments(argc, argv);
	picture = calloc((size_t)(size * size), sizeof(*picture));
	spheres = calloc(SPHERES, sizeof(*spheres));
	for (int i = 0; i < SPHERES; i++)
		spheres[i] = (struct sphere){{i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 - 1.5}, 0.4, 0.3};
	team_run(work);
	printf("%ld\n", checksum);
	return 0;
}
