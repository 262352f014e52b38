#include "supervisor/report/report_suppressed.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/identity.h"
#include "supervisor/report/json_put.h"

struct rfs_report_suppression *rfs_report_add_suppression(struct rfs_report_suppressions *suppressions)
{
	const size_t n = suppressions->n;

	if ((n & (n - 1)) == 0)
		suppressions->list = xreallocarray(suppressions->list, n ? n * 2 : 1, sizeof(*suppressions->list));
	suppressions->list[n] = (struct rfs_report_suppression){0};
	return &suppressions->list[suppressions->n++];
}

void rfs_report_suppressions_release(struct rfs_report_suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->n; i++) {
		free(suppressions->list[i].file);
		free(suppressions->list[i].name);
	}
	free(suppressions->list);
	free(suppressions->generated);
}

uint64_t rfs_report_suppression_uses(const struct rfs_report_suppression *suppression)
{
	return suppression->races + suppression->deadlocks + suppression->violations + suppression->misuses;
}

bool rfs_identity_counts(const struct rfs_report_identity *identity)
{
	return !identity->known && !identity->suppressed;
}

/* ---- JSON ---- */

static json_t *one(const struct rfs_report_suppression *suppression)
{
	json_t *object = json_object();

	rfs_json_put_text(object, "name", suppression->name);
	rfs_json_put_text(object, "file", suppression->file);
	rfs_json_put_number(object, "line", suppression->line);
	return object;
}

json_t *rfs_report_suppressions_json(const struct rfs_report_suppressions *suppressions)
{
	json_t *array = json_array();

	for (size_t i = 0; i < suppressions->n; i++) {
		const struct rfs_report_suppression *suppression = &suppressions->list[i];
		json_t *object;

		if (suppression->own && !rfs_report_suppression_uses(suppression))
			continue;
		object = one(suppression);
		rfs_json_put_number(object, "races", suppression->races);
		rfs_json_put_number(object, "deadlocks", suppression->deadlocks);
		rfs_json_put_number(object, "atomicity_violations", suppression->violations);
		rfs_json_put_number(object, "misuses", suppression->misuses);
		rfs_json_append(array, object);
	}
	return array;
}

void rfs_report_suppressed_put(json_t *object, const struct rfs_report_suppressions *suppressions, size_t number)
{
	if (number)
		rfs_json_put(object, "suppressed", one(&suppressions->list[number - 1]));
}
