# gdb_adapter.py ADAPTER PROGRAM HOST:PORT SOURCE - drives Eclipse's cdt-gdb-adapter (npm; ADAPTER is its
# debugTargetAdapter.js) as an editor does, and prints what it shows. SOURCE is figure1.c.
import os
import sys

from adapter_client import Client

adapter, program, address, source = sys.argv[1:]
host, port = address.rsplit(":", 1)
lines = open(source).read().splitlines()
read = 1 + next(i for i, line in enumerate(lines) if "RACE: z-read" in line)
failure = read + 1
first = 1 + next(i for i, line in enumerate(lines) if "RACE: x-write" in line)
client = Client(["node", adapter])


def set_breakpoints(*numbers):
    asked = [{"line": number} for number in numbers]
    got = client.ask("setBreakpoints", source={"name": os.path.basename(source), "path": source}, breakpoints=asked)
    print("breakpoints", [b["verified"] for b in got["breakpoints"]])


# Waits for a stop, and says where it is. Returns the thread and its frames.
def stopped():
    stop = client.event("stopped")
    frames = client.frames(stop["threadId"])
    print("stopped: %s in %s, read %+d" % (stop["reason"], frames[0]["name"], frames[0]["line"] - read))
    return stop["threadId"], frames


def console(frames, command):
    client.ask("evaluate", expression=">" + command, frameId=frames[0]["id"], context="repl")


can = client.ask("initialize", adapterID="gdbtarget", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
print("supportsStepBack", can.get("supportsStepBack", False))
attach = client.send(
    "attach",
    program=program,
    preConnectCommands=["set sysroot /", "set remotetimeout 60"],
    target={"type": "remote", "host": host, "port": port},
)
client.event("initialized")
print("initialized")
set_breakpoints(failure)
client.ask("configurationDone")
thread, frames = stopped()
for name in sorted(t["name"] for t in client.ask("threads")["threads"]):
    print("thread", name)
client.show_locals(frames[0])

print("by the console:")
console(frames, "reverse-step")
thread, frames = stopped()
set_breakpoints(first, failure)
console(frames, "reverse-continue")
thread, frames = stopped()

print("by the buttons, backward:")
client.ask("continue", threadId=thread)
thread, frames = stopped()
console(frames, "set exec-direction reverse")
client.ask("next", threadId=thread)
thread, frames = stopped()
client.ask("next", threadId=thread)
thread, frames = stopped()
client.ask("continue", threadId=thread)
thread, frames = stopped()

print("forward again:")
console(frames, "set exec-direction forward")
set_breakpoints()
client.ask("continue", threadId=thread)
thread, frames = stopped()
client.end()  # version 1.7.0 says nothing of a target that a signal has ended
print("ended")
