#include "supervisor/symbols/place.h"

#include <stdlib.h>

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
