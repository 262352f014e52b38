#!/bin/bash
# Two clients at the same time, on TCP port $1. Waits until the server listens.
client() {
	until exec 3<>"/dev/tcp/127.0.0.1/$1"; do sleep 0.02; done 2>/dev/null
	cat <&3
}
client "$1" & client "$1" & wait
