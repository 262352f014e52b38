# read_rooms() reads the table of rooms. Then room_of(file) is the room of a file, and may_use(room, other) says whether
# room may use other.

function read_rooms(table, line, word, count, i)
{
	while ((getline line <table) > 0) {
		if (line ~ /^(#|$)/)
			continue
		count = split(line, word, /[ \t]+/)
		is_room[word[1]] = 1
		for (i = 2; i <= count; i++)
			if (word[i] != "")
				below[word[1]] = below[word[1]] " " word[i]
	}
	close(table)
}

# the file itself if the table has a line for it, otherwise its folder
function room_of(file)
{
	if (!(file in is_room))
		sub(/\/[^\/]*$/, "", file)
	return file
}

function may_use(room, other, word, count, i, found)
{
	if (room == other)
		return 1
	if ((room, other) in may)
		return may[room, other]
	count = split(below[room], word, " ")
	for (i = 1; i <= count && !found; i++)
		found = may_use(word[i], other)
	return may[room, other] = found
}
