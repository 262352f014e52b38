# Sourced by the scripts of this folder: fresh Debian systems in folders.
#
# BASE in the environment is a folder that debootstrap made (--variant=minbase bookworm). If it is not set, the first script
# makes $work/base. Mounts are in a namespace of the script, so they end with it.
# shellcheck shell=bash

# Starts the script again in its own mount namespace.
own_mounts() { # SCRIPT ARGUMENT...
	test "$(id -u)" = 0 || {
		echo "$(basename "$1"): needs root" >&2
		exit 2
	}
	test -n "${OWN_MOUNTS:-}" || exec env OWN_MOUNTS=1 unshare -m --propagation private "$@"
}

# Sets source and work, and empties $work except for the base.
begin() { # NAME SCRIPT BUILD ARGUMENT...
	own_mounts "${@:2}"
	source=$(realpath "$(dirname "$2")/../..")
	work=$(realpath -m "$3")/$1
	mkdir -p "$work"
	find "$work" -mindepth 1 -maxdepth 1 ! -name base -exec rm -rf --one-file-system {} +
	make_base
}

make_base() {
	if [ -n "${BASE:-}" ]; then
		base=$(realpath "$BASE")
		return
	fi
	base=$work/base
	test -d "$base/etc/apt" || debootstrap --variant=minbase bookworm "$base" >"$work/debootstrap.txt"
}

new_system() { # NAME: a fresh system in $work/NAME
	local folder=$work/$1
	cp -a "$base" "$folder"
	mount -t proc proc "$folder/proc"
	mount --bind /dev "$folder/dev"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts"
	cp /etc/resolv.conf "$folder/etc/"
	# what reaches Debian's packages from here
	env | grep -iE '^(https?|no)_proxy=' >"$folder/etc/environment" || true
	cp /etc/apt/apt.conf.d/*proxy* "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
	# packages of the first installation may be older than those of the mirror
	in_system "$1" 'apt-get update -qq'
}

in_system() { # NAME COMMANDS: in $work/NAME, as root, with nothing of this machine's environment
	chroot "$work/$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive sh -c "set -a; . /etc/environment; set +a; set -e; $2" </dev/null
}

install_in() { # NAME PACKAGE...
	in_system "$1" "apt-get install -y -qq --no-install-recommends ${*:2} >/tmp/apt.txt 2>&1 || { cat /tmp/apt.txt; exit 1; }"
}

remove_system() { # NAME
	umount "$work/$1/dev/pts" "$work/$1/dev" "$work/$1/proc"
	rm -rf --one-file-system "${work:?}/$1"
}

say() {
	echo "$(date +%H:%M:%S) $*"
}
