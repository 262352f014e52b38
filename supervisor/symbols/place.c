/* place.c - copies, compares and frees places, objects and evidence. */
#include "supervisor/symbols/place.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

bool rfs_place_is_same(const struct rfs_place *a, const struct rfs_place *b)
{
	return a->offset == b->offset && !a->module == !b->module && (!a->module || strcmp(a->module, b->module) == 0);
}

void rfs_place_own(struct rfs_place *place)
{
	if (place->module)
		place->module = xstrdup(place->module);
}

struct rfs_place *rfs_places_copy(const struct rfs_place *places, size_t n)
{
	struct rfs_place *out = xcalloc(n ? n : 1, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		out[i] = places[i];
		rfs_place_own(&out[i]);
	}
	return out;
}

void rfs_places_free(struct rfs_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(places[i].module);
	free(places);
}

void rfs_object_release(struct rfs_object *object)
{
	free(object->place.module);
	free(object->acquired.module);
	rfs_places_free(object->stack, object->n_stack);
}

void rfs_objects_free(struct rfs_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rfs_object_release(&objects[i]);
	free(objects);
}

void rfs_evidence_release(struct rfs_evidence *evidence)
{
	free(evidence->site.module);
	rfs_object_release(&evidence->object);
	rfs_objects_free(evidence->locks, evidence->n_locks);
	rfs_places_free(evidence->stack, evidence->n_stack);
	*evidence = (struct rfs_evidence){0};
}
