# Checks references for tests/lint/references. The input is the output of nm -A.

BEGIN {
	FS = "\t"
	while ((getline <allowed_list) > 0)
		if ($0 !~ /^(#|$)/) {
			allowed_count++
			reason[$1] = $2
		}
	FS = " "
	read_rooms(rooms)
	if (allowed_count > max_allowed)
		fail(allowed_list " has " allowed_count " entries, " max_allowed " is the limit")
}

# a line of nm -A: BUILD/FILE.o:[VALUE] TYPE SYMBOL
{
	file = substr($1, length(build) + 1)
	sub(/\.o:.*/, ".c", file)
	type = $(NF - 1)
	if (type ~ /[Uw]/)
		use[++use_count] = file SUBSEP $NF
	else if (type ~ /[A-Z]/)
		definer[$NF] = file
}

END {
	for (i = 1; i <= use_count; i++) {
		split(use[i], part, SUBSEP)
		if (part[2] in definer)
			add_reference(part[1], part[2], definer[part[2]])
	}
	for (symbol in reason)
		if (!(symbol in goes_up))
			fail(allowed_list ": " symbol " does not go up any more: remove the line")
		else if (reason[symbol] == "")
			fail(allowed_list ": " symbol " has no reason")
	for (file in used_count)
		if (!(file in number))
			visit(file)
	if (largest > max_circle)
		fail("a circle of " largest " files, " max_circle " is the limit:" largest_files)
	printf "references: %d upward (allowed), largest circle %d files\n", up_count, largest
	exit failed
}

function fail(why)
{
	print "lint: " why >"/dev/stderr"
	failed = 1
}

function add_reference(file, symbol, used)
{
	if (!((file, used) in is_used)) {
		is_used[file, used] = 1
		uses[file, ++used_count[file]] = used
	}
	if (may_use(room_of(file), room_of(used)))
		return
	print file " " symbol " -> " used
	up_count++
	goes_up[symbol] = 1
	if (!(symbol in reason))
		fail(file " uses " symbol " of " used ", which is above it (tests/lint/rooms)")
}

# Strongly connected components: R. Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1 (2), 1972
function visit(file, i, used, size, files)
{
	number[file] = lowest[file] = ++visited
	stack[++depth] = file
	on_stack[file] = 1
	for (i = 1; i <= used_count[file]; i++) {
		used = uses[file, i]
		if (!(used in number)) {
			visit(used)
			if (lowest[used] < lowest[file])
				lowest[file] = lowest[used]
		} else if (on_stack[used] && number[used] < lowest[file])
			lowest[file] = number[used]
	}
	if (lowest[file] < number[file])
		return
	do {
		used = stack[depth--]
		on_stack[used] = 0
		files = files " " used
		size++
	} while (used != file)
	if (size > largest) {
		largest = size
		largest_files = files
	}
}
