# read_rooms() reads the table of rooms. Then room_of(file) is the room of a file, and may_use(room, other) says whether
# room may use other. uses[room] lists what it may use. house_of(room) is the outermost room whose folder contains it.

function read_rooms(table, line, word, count, i)
{
	while ((getline line <table) > 0) {
		if (line ~ /^(#|$)/)
			continue
		count = split(line, word, /[ \t]+/)
		if (sub(/\/$/, "", word[1]))
			is_interface[word[1]] = 1
		is_room[word[1]] = ++room_count
		for (i = 2; i <= count; i++)
			if (word[i] != "") {
				may[word[1], word[i]] = 1
				uses[word[1]] = uses[word[1]] " " word[i]
			}
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

function house_of(room, house, outer)
{
	house = outer = room
	while (sub(/\/[^\/]*$/, "", outer))
		if (outer in is_room)
			house = outer
	return house
}

function may_use(room, other, house)
{
	if (room == other || (room, other) in may)
		return 1
	house = house_of(other)
	return house in is_interface && house_of(room) != house && (room, house) in may
}
