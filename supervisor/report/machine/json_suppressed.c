/* json_suppressed.c - suppressions, and what each has hidden, as JSON. */
#include "supervisor/report/machine/json_suppressed.h"

#include "supervisor/report/data/report_suppressed.h"
#include "supervisor/report/machine/json_put.h"

static json_t *json_suppressed_one(const struct rfs_report_suppression *suppression)
{
	json_t *object = json_object();

	rfs_json_put_text(object, "name", suppression->name);
	rfs_json_put_text(object, "file", suppression->file);
	if (suppression->file)
		rfs_json_put_number(object, "line", suppression->line);
	return object;
}

json_t *rfs_json_suppressions(const struct rfs_report_suppressions *suppressions)
{
	json_t *array = json_array();

	for (size_t i = 0; i < suppressions->n; i++) {
		const struct rfs_report_suppression *suppression = &suppressions->list[i];
		json_t *object;

		if (suppression->own && !rfs_report_suppression_uses(suppression))
			continue;
		object = json_suppressed_one(suppression);
		rfs_json_put_number(object, "races", suppression->races);
		rfs_json_put_number(object, "deadlocks", suppression->deadlocks);
		rfs_json_put_number(object, "atomicity_violations", suppression->violations);
		rfs_json_put_number(object, "misuses", suppression->misuses);
		rfs_json_append(array, object);
	}
	return array;
}

void rfs_json_put_suppressed(json_t *object, const struct rfs_report_suppressions *suppressions, size_t number)
{
	if (number)
		rfs_json_put(object, "suppressed", json_suppressed_one(&suppressions->list[number - 1]));
}
