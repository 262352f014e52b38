/* pairs_file.c - recognises reports of other tools, and otherwise parses a pairs file. */
#include "supervisor/cli/options/pairs_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/base/file.h"

int rfs_pairs_file_read(const char *path, bool triage, struct rfs_pairs_file *out, char *why, size_t n)
{
	enum rfs_import_form form;
	char *data = NULL;
	size_t size = 0;
	int error = rfs_file_read(path, RFS_PAIRS_MAX, &data, &size);

	*out = (struct rfs_pairs_file){0};
	if (error)
		return rfs_why(why, n, error, "cannot read the %s file '%s': %s", triage ? "reports" : "pairs", path,
			       strerror(-error));
	form = rfs_import_form_of(data, size);
	if (rfs_import_refused(form))
		error = rfs_why(why, n, -EINVAL, "%s: %s", path, rfs_import_refused(form));
	else if (form != RFS_FORM_PAIRS)
		error = rfs_import_parse(path, form, data, size, &out->import, why, n);
	else if (triage)
		error = rfs_why(
			why, n, -EINVAL,
			"%s: there is no report of ThreadSanitizer, Helgrind, DRD or rfsup in this file; if it is a "
			"pairs file, use --pairs",
			path);
	else
		error = rfs_pairs_parse(path, data, size, &out->pairs, why, n);
	out->imported = form != RFS_FORM_PAIRS;
	free(data);
	return error;
}

void rfs_pairs_file_release(struct rfs_pairs_file *file)
{
	rfs_import_release(&file->import);
	rfs_pairs_release(&file->pairs);
}
