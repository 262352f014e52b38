"""What it costs to go back: times of a step back and of a search for the last write, beside that of a replay.

reverse.py RFSUP [ROUNDS]

A replay runs forward to a breakpoint after a loop; that is the replay up to there, with the start of the program. The
other times are as ratios of it. The results are the smallest of ROUNDS: seconds by the clock, and of CPU time of rfsup
and the program, to a hundredth. Save them as tests/bench/results/vm-reverse.txt.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "programs"))
from walks import Remote, load_bias  # noqa: E402

SOURCE = """
#include <pthread.h>
int rare, often, done;
static void *other(void *p) { done++; return p; }
static int __attribute__((noinline)) loop(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += i ^ sum;
		if (i % 3 == 0)
			sum ^= 5;
		if (i % (n / 100) == 0)
			rare = i;
		if (i % (n / 10000) == 0)
			often = i;
	}
	sum += 2;
	__asm__ volatile(".globl after_loop\\nafter_loop:");
	done = sum;
	return sum;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, other, 0);
	int sum = loop(ROUNDS);
	pthread_join(thread, 0);
	return sum == 77;
}
"""


def symbol(program, name):
    listed = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"^(\S+) \S " + name + "$", listed, re.M).group(1), 16)


def cpu_seconds(root):
    """Of the process, its descendants, and those of their children that have ended."""
    children, ticks = {}, {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="latin1") as file:
                text = file.read()
        except OSError:
            continue
        pid, fields = int(text.split()[0]), text.rsplit(")", 1)[1].split()
        children.setdefault(int(fields[1]), []).append(pid)
        ticks[pid] = sum(int(field) for field in fields[11:15])
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        total += ticks.get(pid, 0)
        todo += children.get(pid, [])
    return total / os.sysconf("SC_CLK_TCK")


def timed(remote, packet):
    """Seconds by the clock and of CPU time, and the answer."""
    cpu, begin = cpu_seconds(remote.process.pid), time.monotonic()
    answer = remote.resume(packet)
    seconds = time.monotonic() - begin
    return (seconds, cpu_seconds(remote.process.pid) - cpu), answer


def measure(rfsup, record, program):
    remote = Remote(rfsup, record)
    bias = load_bias(remote, program)
    after = symbol(program, "after_loop") + bias
    out = {}
    remote.ask("Z0,%x,1" % after)
    remote.monitor("restart")
    remote.resume("vCont;c")
    out["replay up to there"], answer = timed(remote, "vCont;c")
    assert "swbreak" in answer, answer
    mark = re.match(r"checkpoint (\d+)", remote.monitor("checkpoint")).group(1)
    out["first step back"], answer = timed(remote, "bs")
    out["second step back"], answer = timed(remote, "bs")
    # past where the sum and the branches of the loop meet
    for _ in range(12):
        timed(remote, "bs")
    out["step back in the loop"], answer = timed(remote, "bs")
    for name, writes in (("rare", "100"), ("often", "10,000")):
        remote.monitor("back " + mark)
        remote.resume("vCont;c")
        at = symbol(program, name) + bias
        remote.ask("Z2,%x,4" % at)
        out["back to the last of %s writes" % writes], answer = timed(remote, "bc")
        assert "watch" in answer, answer
        remote.ask("z2,%x,4" % at)
    remote.close()
    return out


def main():
    rfsup = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("# %s cores, Linux %s, load %s, %s" % (os.cpu_count(), os.uname().release, "%.1f %.1f %.1f" % os.getloadavg(), time.strftime("%FT%RZ", time.gmtime())))
    with tempfile.TemporaryDirectory() as folder:
        for loops in (1000000, 10000000):
            program = os.path.join(folder, "loop%d" % loops)
            subprocess.run(
                ["cc", "-g", "-O0", "-pthread", "-DROUNDS=%d" % loops, "-x", "c", "-", "-o", program],
                input=SOURCE, text=True, check=True,
            )
            out = program + ".out"
            subprocess.run(
                [rfsup, "--policy=random", "--runs=1", "--keep-records", "--quiet", "-o", out, program],
                check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            record = os.path.join(out, "records", "sample-seed-1.json")
            all_rounds = [measure(rfsup, record, program) for _ in range(rounds)]
            base = min(r["replay up to there"][0] for r in all_rounds)
            print("\na loop of %d rounds" % loops)
            for name in all_rounds[0]:
                seconds, cpu = (min(r[name][i] for r in all_rounds) for i in range(2))
                print("  %-36s %8.3f s %8.1f x %8.2f s CPU" % (name, seconds, seconds / base, cpu), flush=True)


if __name__ == "__main__":
    main()
