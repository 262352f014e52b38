"""Reads reports of rfsup with other people's readers, and prints what they say.

read_reports.py junit FILE          junitparser: the number of tests, failures, errors and skipped ones
read_reports.py sarif FILE          sarif_om, the objects of the published schema: each key must be one of them
read_reports.py schema SCHEMA FILE  jsonschema, with the published schema
read_reports.py json SCHEMA FILE    jsonschema, with rfsup's own schema; a key that the schema does not have is an error
"""

import json
import sys


def junit(path):
    from junitparser import JUnitXml

    for suite in JUnitXml.fromfile(path):
        names = [case.name for case in suite]
        kinds = [type(result).__name__ for case in suite for result in case.result]
        assert len(set(names)) == len(names), "two tests have one name"
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
            len(names),
            kinds.count("Failure"),
            kinds.count("Error"),
            kinds.count("Skipped"),
        ), "the numbers are wrong"
        print(suite.tests, suite.failures, suite.errors, suite.skipped)


# The class of the value of a key, if it is not the key itself: "driver" is a ToolComponent. Keys of maps have a '*'.
CLASSES = {
    "runs": "Run",
    "driver": "ToolComponent",
    "rules": "ReportingDescriptor",
    "defaultConfiguration": "ReportingConfiguration",
    "shortDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString",
    "invocations": "Invocation",
    "toolExecutionNotifications": "Notification",
    "originalUriBaseIds": "*ArtifactLocation",
    "results": "Result",
    "relatedLocations": "Location",
    "locations": "Location",
    "logicalLocations": "LogicalLocation",
    "codeFlows": "CodeFlow",
    "threadFlows": "ThreadFlow",
    "attachments": "Attachment",
    "suppressions": "Suppression",
    "description": "Message",
}
FREE = ("properties", "fingerprints", "partialFingerprints", "state")


def check(name, value, where):
    import attr
    import sarif_om

    fields = {a.metadata["schema_property_name"]: a for a in attr.fields(getattr(sarif_om, name))}
    for key in fields:
        assert fields[key].default is not attr.NOTHING or key in value, f"{where}: {key} is missing"
    for key, inner in value.items():
        assert key in fields or (key == "$schema" and name == "SarifLog"), f"{where}: {name} has no {key}"
        if key in FREE:
            continue
        inside = CLASSES.get(key, key[0].upper() + key[1:])
        if name == "ThreadFlow" and key == "locations":
            inside = "ThreadFlowLocation"
        if inside.startswith("*"):
            parts, inside = list(inner.values()), inside[1:]
        else:
            parts = inner if isinstance(inner, list) else [inner]
        for part in parts:
            if isinstance(part, dict):
                check(inside, part, f"{where}.{key}")


def sarif(path):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    check("SarifLog", log, "log")
    assert log["version"] == "2.1.0"
    print(len(log["runs"][0]["results"]))


def schema(schema_path, path):
    import jsonschema

    with open(schema_path, encoding="utf-8") as file:
        rules = json.load(file)
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    validator = jsonschema.validators.validator_for(rules)(rules)
    errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(log)]
    print(f"{len(log['runs'][0]['results'])} results, {len(errors)} errors", *errors, sep="\n")
    assert not errors


# Parts of objects: what such a part does not have, another part of the same object may have.
PARTS = ("place", "identity", "suppressible", "suppression", "shown", "run")


def close(rules):
    """Forbids keys that are not in the schema. For users they are not forbidden, because later versions may add some."""
    if isinstance(rules, list):
        for rule in rules:
            close(rule)
    elif isinstance(rules, dict):
        if rules.get("type") == "object" and "properties" in rules:
            rules["unevaluatedProperties"] = False
        for key, rule in rules.items():
            close([rule[name] for name in rule if name not in PARTS] if key == "$defs" else rule)


def own_json(schema_path, path):
    import jsonschema

    with open(schema_path, encoding="utf-8") as file:
        rules = json.load(file)
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    close(rules)
    jsonschema.Draft202012Validator.check_schema(rules)
    best = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(rules).iter_errors(report))
    assert not best, f"{list(best.absolute_path)}: {best.message[-300:]}"


if __name__ == "__main__":
    {"junit": junit, "sarif": sarif, "schema": schema, "json": own_json}[sys.argv[1]](*sys.argv[2:])
