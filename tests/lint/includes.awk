# Checks includes for tests/lint/includes. The input has lines as grep prints them: FILE:#include "HEADER".

BEGIN {
	while ((getline line <allowed_list) > 0)
		if (line !~ /^(#|$)/) {
			split(line, part, "\t")
			allowed[part[1]] = 1
		}
	count = split(declares, part, " ")
	for (i = 1; i <= count; i++)
		declares_allowed[part[i]] = 1
	read_rooms(rooms)
}

{
	file = header = $0
	sub(/:.*/, "", file)
	sub(/^[^"]*"/, "", header)
	sub(/".*/, "", header)
	# the header is in the folder of the file
	if (header !~ /\//)
		next
	room = room_of(file)
	other = room_of(header)
	if (header ~ /-priv\.h$/ && house_of(room) != house_of(other))
		refuse("is private to " house_of(other))
	else if (!may_use(room, other) && !(header in declares_allowed))
		refuse("is above " room " (tests/lint/rooms)")
}

END {
	for (header in allowed)
		if (!(header in met))
			fail(allowed_list ": " header " is included from below no more: remove the line")
	exit failed
}

function refuse(why)
{
	if (header in allowed)
		met[header] = 1
	else
		fail(file " includes " header ", which " why)
}

function fail(why)
{
	print "lint: " why >"/dev/stderr"
	failed = 1
}
