"""Walks forward and back in replayed runs as gdb would, and compares registers, stacks and threads at the same moment.

walks.py RFSUP RECORD PROGRAM WALKS STEPS SEED

Each walk sets breakpoints. A replay that only continues gives the moments of their hits. Then the walk continues,
steps, and goes back at random. Each moment has a name: the last hit before it, and the steps of threads since that hit,
or the next hit, and the steps of its thread up to it. Registers of all threads, and the top of the current stack, must
be the same whenever the walk comes to a moment with the same name, and `monitor back` must find them again. Exit status
1: they were not.
"""

import hashlib
import random
import re
import socket
import subprocess
import sys
import time


class Remote:
    """gdb's remote protocol, without acknowledgements."""

    def __init__(self, rfsup, record):
        self.process = subprocess.Popen(
            [rfsup, "--replay", record, "--gdb=none", "--stop-at=0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for line in self.process.stdout:
            found = re.search(r"target remote ([^;]*);", line)
            if found:
                break
        else:
            raise SystemExit("rfsup does not wait for a debugger")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(found.group(1))
        self.bytes = b""
        self.ack = True
        self.ask("qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+")
        self.ask("QStartNoAckMode")
        self.ack = False

    def send(self, packet):
        data = packet.encode()
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 255))

    def receive(self):
        while True:
            found = re.search(rb"\$([^#]*)#..", self.bytes, re.S)
            if found:
                self.bytes = self.bytes[found.end():]
                if self.ack:
                    self.socket.sendall(b"+")
                return found.group(1).decode("latin1")
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.bytes += more

    def ask(self, packet):
        self.send(packet)
        return self.receive()

    def monitor(self, command):
        self.send("qRcmd," + command.encode().hex())
        said = ""
        while True:
            answer = self.receive()
            if answer == "OK":
                return said
            said += bytes.fromhex(answer[1:]).decode()

    def resume(self, packet):
        """Until the next stop; text that comes before it is dropped."""
        self.send(packet)
        while True:
            answer = self.receive()
            if not answer.startswith("O") or answer == "OK":
                return answer

    def close(self):
        try:
            self.send("k")
        except OSError:
            pass
        self.socket.close()
        self.process.stdout.close()
        self.process.wait()


def load_bias(remote, program):
    """Where the program is, from AT_ENTRY and from its file."""
    with open(program, "rb") as file:
        entry = int.from_bytes(file.read(0x20)[0x18:], "little")
    data = remote.ask("qXfer:auxv:read::0,800")[1:].encode("latin1")
    data = re.sub(rb"}(.)", lambda m: bytes([m.group(1)[0] ^ 0x20]), data, flags=re.S)
    for i in range(0, len(data) - 15, 16):
        if int.from_bytes(data[i:i + 8], "little") == 9:
            return int.from_bytes(data[i + 8:i + 16], "little") - entry
    raise SystemExit("no AT_ENTRY")


class Moment:
    """What a debugger sees when the program is stopped."""

    def __init__(self, remote, stop):
        self.over = stop[0] in "WX"
        self.begin = "replaylog:begin" in stop
        self.end = "replaylog:end" in stop
        self.watch = re.search(r"a?watch:", stop) is not None
        self.signal = int(stop[1:3], 16) if stop[0] == "T" else 0
        self.thread, self.pc, self.seen = None, 0, ("over", stop)
        if self.over:
            return
        self.thread = re.search(r"thread:([^;]*);", stop).group(1)
        self.seen = [self.thread]
        listed = remote.ask("qXfer:threads:read::0,ffff")
        threads = re.findall(r'<thread id="(\S+)"', listed)
        for thread in threads:
            remote.ask("Hg" + thread)
            self.seen.append((thread, remote.ask("g")))
        remote.ask("Hg" + self.thread)
        registers = remote.ask("g")
        self.pc = int.from_bytes(bytes.fromhex(registers[16 * 16:17 * 16]), "little")
        sp = int.from_bytes(bytes.fromhex(registers[7 * 16:8 * 16]), "little")
        # In the frame of a signal, the number of the last trap says whether the thread was stepped: it is not read.
        stack = remote.ask("m%x,80" % sp)
        self.seen.append(hashlib.md5(stack.encode()).hexdigest())
        self.seen = tuple(self.seen)
        self.mark = remote.monitor("checkpoint")
        self.mark, self.operation = map(int, re.match(r"checkpoint (\d+), before operation (\d+)", self.mark).groups())

    def own(self):
        """Only what the current thread has: other threads may have run until its next operation."""
        return (self.thread, dict(self.seen[1:-1])[self.thread], self.seen[-1])

    def is_same(self, other):
        if self.over or other.over or self.operation == other.operation:
            return self.seen == other.seen
        return self.own() == other.own()

    def __str__(self):
        return "%s pc %#x %s" % (self.thread, self.pc, hashlib.md5(str(self.seen).encode()).hexdigest()[:8])


REGS = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()


def differences(a, b):
    said = []
    if a.over or b.over:
        return "%s %s" % (a.seen, b.seen)
    if a.thread != b.thread:
        said.append("thread %s, not %s" % (b.thread, a.thread))
    x, y = dict(a.seen[1:-1]), dict(b.seen[1:-1])
    for thread in sorted(set(x) | set(y)):
        if thread not in x or thread not in y:
            said.append("thread %s only %s" % (thread, "before" if thread in x else "now"))
        elif x[thread] != y[thread]:
            for i in range(0, len(x[thread]), 16):
                if x[thread][i:i + 16] != y[thread][i:i + 16]:
                    said.append("%s %s: %s, not %s" % (thread, REGS[i // 16] if i // 16 < len(REGS) else "@%d" % (i // 2),
                                                       y[thread][i:i + 16], x[thread][i:i + 16]))
    if a.seen[-1] != b.seen[-1]:
        said.append("the stack")
    return "; ".join(said[:8])


class Walk:
    def __init__(self, remote, points, rng):
        self.remote, self.points, self.rng = remote, points, rng
        self.known, self.path, self.faults, self.backs = {}, [], [], []
        self.steps = 0
        self.at = self.restart()
        for point in points:
            remote.ask("Z0,%x,1" % point)
        # the reference: all hits, and the end
        self.hits = [None]
        start = self.at
        while len(self.hits) < 40:
            self.at = self.forward("c")
            if self.at.over or self.at.end:
                break
            self.hits.append(self.at)
        self.n = len(self.hits)
        self.last = self.at if self.at.end else None
        self.at = self.restart()
        self.hits[0] = start
        self.name = (0, ())
        self.check(self.name, self.at)

    def restart(self):
        self.remote.monitor("restart")
        return Moment(self.remote, self.remote.resume("vCont;c"))

    def fault(self, text):
        self.faults.append("%s\n    after %s" % (text, " ".join(self.path[-30:])))

    def check(self, name, moment):
        """The moment must be what it was when it had this name before."""
        self.steps += 1
        if name[1] == () and name[0] < self.n:
            before = self.hits[name[0]]
        elif name == "end":
            before = self.last
        else:
            before = self.known.setdefault((name, moment.operation, moment.thread), moment)
        if before and not before.is_same(moment):
            self.fault("at %s: %s" % (name, differences(before, moment)))

    def forward(self, how):
        """As gdb does: a thread that is at a breakpoint first makes a step alone, without breakpoints."""
        remote, at = self.remote, self.at
        if at.signal not in (0, 5):
            s = "S%02x:%s;c" if how == "s" else "C%02x:%s;c"
            return Moment(remote, remote.resume("vCont;" + s % (at.signal, at.thread)))
        if at.pc in self.points:
            for point in self.points:
                remote.ask("z0,%x,1" % point)
            stop = remote.resume("vCont;s:" + at.thread)
            for point in self.points:
                remote.ask("Z0,%x,1" % point)
            moment = Moment(remote, stop)
            if how == "s" or moment.over or moment.end or moment.pc in self.points or moment.thread != at.thread:
                return moment
            return Moment(remote, remote.resume("vCont;c"))
        return Moment(remote, remote.resume("vCont;s:%s;c" % at.thread if how == "s" else "vCont;c"))

    def back(self, how):
        self.remote.ask("Hc" + (self.at.thread if how == "bs" else "p1.-1"))
        return Moment(self.remote, self.remote.resume(how))

    def is_hit(self, k, moment):
        return 0 < k < self.n and self.hits[k].is_same(moment)

    def hit_index(self, moment, low, high):
        for k in range(low, high + 1):
            if 0 <= k < self.n and self.hits[k].is_same(moment):
                return k
        return None

    def go(self, how):
        name, at = self.name, self.at
        k, legs = name
        self.path.append("%s%s" % (how, name))
        if how in "cs":
            now = self.forward(how)
            if now.signal not in (0, 5) and at.signal in (0, 5) and now.is_same(at):
                for j in (k, k - 1):
                    if self.is_hit(j, now):
                        return (j, ()), now  # a step has ended right before the signal
        if how == "c":
            if legs and legs[0] == "before":
                j = self.hit_index(now, 0, k)
                if j is None or any(
                    self.hits[i].thread == self.hits[k].thread and self.hits[i].signal == 5 for i in range(j, k)
                ):
                    self.fault("continue before hit %d came to %s, hit %s: %s" % (k, now, j, differences(self.hits[k], now)))
                    j = None
                return ((j, ()) if j is not None else None), now
            if k + 1 < self.n:
                return (k + 1, ()), now
            return None, now  # the end
        if how == "s":
            if now.over or now.end:
                return None, now
            if legs and legs[0] == "before":
                if legs[1] == 1:
                    if not self.is_hit(k, now) and now.thread != at.thread:
                        j = self.hit_index(now, 0, k - 1)
                        if j is not None:
                            return (j, ()), now
                    return (k, ()), now
                if now.thread != at.thread:
                    j = self.hit_index(now, 0, k - 1)
                    if j is not None:
                        return (j, ()), now
                return (k, ("before", legs[1] - 1)), now
            if now.thread != at.thread or now.pc in self.points or now.signal not in (0, 5):
                if self.is_hit(k + 1, now):
                    return (k + 1, ()), now
                if k + 1 < self.n and (now.thread != at.thread or now.signal not in (0, 5)):
                    self.fault("a step came to %s: %s" % (now, differences(self.hits[k + 1], now)))
                    return None, now
            if legs and legs[-1][0] == at.thread:
                legs = legs[:-1] + ((at.thread, legs[-1][1] + 1),)
            else:
                legs += ((at.thread, 1),)
            return (k, legs), now
        if how == "bc":
            now = self.back("bc")
            if legs and legs[0] == "before":
                j = self.hit_index(now, 0, k - 1)
                if j is None or any(self.hits[i].thread == self.hits[k].thread and self.hits[i].signal == 5 for i in range(j + 1, k)):
                    self.fault("back from before hit %d came to %s, hit %s; hit %d was %s" % (k, now, j, k - 1, self.hits[k - 1]))
                    j = None
                return ((j, ()) if j is not None else None), now
            k = k if legs else max(k - 1, 0)
            while k and self.hits[k].signal != 5:
                k -= 1  # going back does not stop at signals
            return (k, ()), now
        if how == "bs":
            now = self.back("bs")
            if legs and legs[0] == "before":
                j = legs[1] + 1
            elif legs:
                thread, n = legs[-1]
                if thread != at.thread:
                    return None, now
                legs = legs[:-1] + (((thread, n - 1),) if n > 1 else ())
                return (k, legs), now
            elif k == 0:
                return (0, ()), now
            else:
                j = 1
            if now.begin:
                return (0, ()), now
            if now.pc in self.points:
                i = self.hit_index(now, 1, k - 1)
                if i is not None:
                    return (i, ()), now
            return (k, ("before", j)), now
        raise AssertionError

    def walk(self, steps):
        for _ in range(steps):
            how = self.rng.choice(["c", "s", "s", "s", "bc", "bs", "bs", "bs", "mark", "back"])
            if how == "mark":
                self.backs.append((self.at.mark, self.name, self.at))
                continue
            if how == "back":
                if not self.backs:
                    continue
                number, name, moment = self.rng.choice(self.backs)
                self.path.append("back%s" % (name,))
                self.remote.monitor("back %d" % number)
                now = Moment(self.remote, self.remote.resume("vCont;c"))
                self.steps += 1
                if now.seen != moment.seen:
                    self.fault("checkpoint %d at %s: %s" % (number, name, differences(moment, now)))
                self.name, self.at = name, now
                continue
            name, now = self.go(how)
            if now.over:
                return "over"  # the session has ended
            if now.end:
                name = None
            self.at = now
            if name is None:
                self.path.append("restart")
                self.at = self.restart()
                name = (0, ())
            self.name = name
            self.check(name, self.at)
        return "done"


def functions(program):
    out = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    skip = re.compile(r"^_|frame_dummy|register_tm|deregister|^main$|completed")
    return [int(w[0], 16) for w in (line.split() for line in out.splitlines())
            if len(w) == 3 and w[1] in "tTW" and not skip.search(w[2])]


def main():
    rfsup, record, program = sys.argv[1:4]
    walks, steps, seed = map(int, sys.argv[4:7])
    n, bad, made, code = 0, 0, 0, []
    begin = time.time()
    entries = functions(program)
    remote = None
    for w in range(seed, seed + walks):
        rng = random.Random(w)
        if remote is None:
            remote = Remote(rfsup, record)
        bias = load_bias(remote, program)
        pool = [bias + e for e in entries] + code
        points = sorted(set(rng.sample(pool, min(len(pool), rng.randint(1, 4)))))
        walk = Walk(remote, points, rng)
        try:
            how = walk.walk(steps)
        except EOFError:
            walk.fault("the connection ended")
            how = "over"
        made += walk.steps
        n += 1
        code = (code + sorted({m.pc for m in walk.known.values() if m.pc}))[-60:]
        for fault in walk.faults[:2]:
            print("walk %d, points %s: %s" % (w, [hex(p) for p in points], fault), flush=True)
        bad += bool(walk.faults)
        if how == "over":
            remote.close()
            remote = None
        else:
            for point in points:
                remote.ask("z0,%x,1" % point)
    if remote:
        remote.close()
    print("%d walks, %d moments, %d walks with differences, %.1f s" % (n, made, bad, time.time() - begin))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
