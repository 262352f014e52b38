/* rules.h - the kinds of findings, as tools that read reports know them: rules with stable names. */
#ifndef RFS_REPORT_RULES_H
#define RFS_REPORT_RULES_H

#include <stddef.h>

struct rfs_report_item;

struct rfs_rule {
	const char *id;	     /* users store it */
	const char *summary; /* a sentence */
	const char *help;    /* what to do, as sentences */
	const char *level;   /* "error", "warning" or "note", as in SARIF */
};

/* Ends with a rule whose id is NULL. */
extern const struct rfs_rule rfs_rules[];

/* The index in rfs_rules of the rule of a finding. */
size_t rfs_rule_of(const struct rfs_report_item *item);
/* The index of the rule of wrong uses of the thread library. */
size_t rfs_rule_of_misuse(void);

#endif
