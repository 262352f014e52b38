"""Executes the steps of a workflow of GitHub or the script of a job of GitLab in the working directory.

run_ci.py github FILE ACTION [INPUT=VALUE...]   ACTION: the folder of the action that FILE uses as OWNER/rfsup
run_ci.py gitlab FILE JOB [VARIABLE=VALUE...]

INPUT and VARIABLE replace what the file says, so that a test is short. Steps that others have written are not executed;
the files that they get must exist. Ends with the status of the job: 0, or 1 if a step failed.
"""
import os
import re
import subprocess
import sys
import yaml


class Github:
    def __init__(self, folder, given):
        self.folder, self.given, self.failed = folder, given, False
        self.files = {n: os.path.abspath(n) for n in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
        for path in self.files.values():
            open(path, "a").close()

    def value(self, name, names):
        if name in names:
            return str(names[name]).lower() if isinstance(names[name], bool) else str(names[name])
        raise SystemExit(f"no value for {name}")

    def fill(self, text, names):
        if isinstance(text, bool):
            return str(text).lower()
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda m: self.value(m[1], names), str(text))

    def wanted(self, step, names):
        words = re.sub(r"^\$\{\{|\}\}$", "", str(step.get("if", "success()"))).split("&&")
        for word in map(str.strip, words):
            equal = re.fullmatch(r"([\w.-]+) == '(.*)'", word)
            if equal:
                holds = self.value(equal[1], names) == equal[2]
            else:
                holds = {"always()": True, "failure()": self.failed, "success()": not self.failed}[word]
            if not holds:
                return False
        # without a function, a step needs success
        return any(w in str(step.get("if", "")) for w in ("always()", "failure()")) or not self.failed

    def run(self, step, names):
        env = dict(os.environ, CI="true", GITHUB_ACTIONS="true", **self.files)
        env.update({k: self.fill(v, names) for k, v in step.get("env", {}).items()})
        shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]
        if "shell" not in step:  # of a job, not of an action
            shell = ["bash", "-e", "-c"]
        if subprocess.run(shell + [self.fill(step["run"], names)], env=env, check=False).returncode:
            self.failed = True
        with open(self.files["GITHUB_OUTPUT"]) as lines:
            for key, _, value in (line.rstrip("\n").partition("=") for line in lines):
                names[f"steps.{step.get('id')}.outputs.{key}"] = value

    def foreign(self, step, names):
        given = {k: self.fill(v, names) for k, v in step.get("with", {}).items()}
        print(f"not executed: {step['uses']} {given}", flush=True)
        for key in {"upload-sarif": ["sarif_file"], "upload-artifact": ["path"]}.get(re.split("[/@]", step["uses"])[-2], []):
            if not os.path.exists(given[key]):
                raise SystemExit(f"{step['uses']}: there is no {given[key]}")

    def action(self, given):
        with open(os.path.join(self.folder, "action.yml")) as file:
            action = yaml.safe_load(file)
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise SystemExit(f"action.yml has no inputs {unknown}")
        names = {"github.action_path": self.folder, "github.run_id": 1, "github.run_attempt": 1}
        for name, about in action["inputs"].items():
            if about.get("required") and name not in given:
                raise SystemExit(f"the input {name} is required")
            names[f"inputs.{name}"] = self.given.get(name, given.get(name, about.get("default", "")))
        for step in action["runs"]["steps"]:
            if "run" in step and "shell" not in step:
                raise SystemExit("GitHub refuses a step of an action without a shell")
        self.steps(action["runs"]["steps"], names)
        for name, about in action["outputs"].items():
            print(f"output {name}={self.fill(about['value'], names)}", flush=True)

    def steps(self, steps, names):
        for step in steps:
            if not self.wanted(step, names):
                continue
            if "run" in step:
                self.run(step, names)
            elif step["uses"].startswith("OWNER/rfsup@"):
                self.action(step.get("with", {}))
            else:
                self.foreign(step, names)


def gitlab(path, name, given):
    with open(path) as file:
        jobs = yaml.safe_load(file)
    for part in jobs.get("include", []):
        with open(os.path.join(os.path.dirname(path), part["local"])) as file:
            jobs = {**yaml.safe_load(file), **jobs}
    own, base = jobs[name], jobs[jobs[name]["extends"]]
    job = {**base, **own, "variables": {**base.get("variables", {}), **own.get("variables", {}), **given}}
    env = dict(os.environ, CI="true", GITLAB_CI="true", **{k: str(v) for k, v in job["variables"].items()})
    script = "\n".join(job.get("before_script", []) + job["script"])
    failed = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=env, check=False).returncode != 0
    for file in job["artifacts"]["paths"] + [job["artifacts"]["reports"]["junit"]] + job["cache"]["paths"]:
        if not os.path.exists(file):
            raise SystemExit(f"the job has no {file}")
    return failed


def main():
    kind, path, where = sys.argv[1:4]
    given = dict(word.split("=", 1) for word in sys.argv[4:])
    if kind == "gitlab":
        return gitlab(path, where, given)
    with open(path) as file:
        workflow = yaml.safe_load(file)
    job = Github(os.path.abspath(where), given)
    job.steps(next(iter(workflow["jobs"].values()))["steps"], {})
    return job.failed


sys.exit(1 if main() else 0)
