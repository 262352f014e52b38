# Prints `room`, its sub-rooms and what these can reach in the table of rooms. Also checks the table: what a room may use
# stands below it, so there is no circle.

BEGIN {
	read_rooms(rooms)
	for (name in is_room) {
		count = split(uses[name], word, " ")
		for (i = 1; i <= count; i++)
			if (!(word[i] in is_room) || is_room[word[i]] <= is_room[name]) {
				print "lint: " rooms ": " word[i] " must stand below " name >"/dev/stderr"
				exit 1
			}
	}
	for (name in is_room)
		if (name == room || index(name, room "/") == 1)
			reach(name)
}

function reach(room, word, count, i)
{
	if (room in reached)
		return
	reached[room] = 1
	print room
	count = split(uses[room], word, " ")
	for (i = 1; i <= count; i++)
		reach(word[i])
}
