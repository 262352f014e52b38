# Prints the rooms that `room` can reach in the table of rooms, itself first. Also checks the table: what a room may use stands
# below it, so there is no circle.

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
	reach(room)
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
