# subjects.sh - libraries and types for measurements of rfsup --generate. Sourced by the scripts of this folder, which set
# `targets`, the folder of the built targets.

libraries=/usr/lib/$(uname -m)-linux-gnu
own="document config text queue pool cache store registry slots table"
foreign="GQueue GPtrArray GHashTable GString json_object apr_hash_t evbuffer"
all_foreign="$foreign GArray GSequence xmlHashTable"

headers() { # FOLDER GLOB: --header for each header of /usr/include/FOLDER that matches
	local path
	for path in /usr/include/$1/$2; do echo --header "${path#/usr/include/}"; done
}

# Prints the options for a type: its library, headers and name.
type_options() { # NAME
	case $1 in
	G*) echo "$libraries/libglib-2.0.so.0 --header glib.h --type $1" ;;
	json_object) echo "$libraries/libjson-c.so.5 --header json-c/json.h --type $1" ;;
	apr_hash_t) echo "$libraries/libapr-1.so.0 --header apr_hash.h --header apr_pools.h --header apr_general.h --init apr_initialize --type $1" ;;
	evbuffer) echo "$libraries/libevent-2.1.so.7 --header event2/buffer.h --type $1" ;;
	xmlHashTable) echo "$libraries/libxml2.so.2 --header libxml/hash.h --type $1" ;;
	*) echo "$targets/libgen_$1.so --header $(dirname "${BASH_SOURCE[0]}")/../../../targets/lib/gen_$1.h --type gen_$1" ;;
	esac
}

# Prints the options for all types of a library.
library_options() { # NAME
	case $1 in
	glib) echo "$libraries/libglib-2.0.so.0 --header glib.h" ;;
	libxml2) echo "$libraries/libxml2.so.2" $(headers libxml2/libxml '*.h' | sed 's|libxml2/||') ;;
	libevent) echo "$libraries/libevent-2.1.so.7" $(headers event2 '[!t]*[!_]*.h' | grep -v 'compat\|_ssl\|thread\|visibility\|event-config') ;;
	sqlite3) echo "$libraries/libsqlite3.so.0 --header sqlite3.h" ;;
	json-c) echo "$libraries/libjson-c.so.5" $(headers json-c '*.h') ;;
	apr) echo "$libraries/libapr-1.so.0 --init apr_initialize" $(headers apr-1.0 'apr_*.h' | sed 's|apr-1.0/||') ;;
	esac
}

# Prints the compiler's flags for the library of these options.
flags_for() { # OPTIONS
	case $1 in
	*libglib*) pkg-config --cflags glib-2.0 ;;
	*libapr*) pkg-config --cflags apr-1 ;;
	*libxml2*) pkg-config --cflags libxml-2.0 ;;
	*libjson*) echo -I/usr/include ;;
	*) echo -I. ;;
	esac
}
