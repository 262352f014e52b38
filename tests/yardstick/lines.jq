# Prints a report (--format json) or a record as lines "WHAT: PATH = VALUE". The order of keys is kept, so it is compared
# too. $what: the target, and how rfsup was called.

# Texts whose wording may change. Only their presence is compared.
def text: [
	"detail", # of a failure; in a record, detail is a number and is compared
	"difference", "incomplete", "message",
	"variable", "locks", "holds", "waits_for" # names of objects, such as "heap block of 24 bytes + 8, allocated by ..."
];

# Values that differ between two runs of the same rfsup.
def unstable: [
	"seconds", "plain_seconds", "predict_seconds", "confirm_seconds", "explore_seconds", "measure_seconds", # wall time
	"plain_cpu_seconds", "target_cpu_seconds", "supervisor_cpu_seconds", # CPU time
	"cpu_limit", "step_limit", "spin_free", # depend on the CPU time of baseline runs
	"limits", # resource limits of the shell that make was started from
	"checksum" # of a record; includes all of these values
];
# A target may fail in some of its ten baseline runs, which are not controlled.
def unstable_paths: [["plain", "failures"], ["plain", "timeouts"], ["plain", "failure"]];
# Targets whose number of stops varies although their operations are the same:
#   file_locks      tries a lock until its uncontrolled child process releases it after 20 ms
#   fifo_open       makes a folder in /tmp, and tries another name if a parallel run has taken the first
#   spawn_threads   the uncontrolled threads of its child process may or may not wait for each other
def unstable_stops: ["file_locks", "fifo_open", "spawn_threads"];

def is_leaf: type != "object" and type != "array" or length == 0;

. as $all
| (if .rfsup_record then
	"\($what), \(input_filename | split("/") | last | rtrimstr(".json")), policy \(.policy), seed \(.seed)"
else
	$what
end) as $of
| paths(is_leaf) as $path
| ($path | map(strings)) as $keys
| select(any($keys[]; IN(unstable[])) or ($path[:2] | IN(unstable_paths[])) | not)
| select($path == ["stats", "stops"] and ($what | split(" ") | first | IN(unstable_stops[])) | not)
| ($all | getpath($path)) as $value
| (if ($keys | last | IN(text[])) and ($value | type == "string") then "(text)" else $value | tojson end) as $shown
| "\($of): \($path | join(".")) = \($shown)"
