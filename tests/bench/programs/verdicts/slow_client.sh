#!/bin/sh
# A client that is slow in some runs, as on a machine with much to do.
[ $(($(date +%N) / 1000 % 4)) = 0 ] && sleep 5
sleep 0.1
