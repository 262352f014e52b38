# debug_adapter.py PROGRAM HOST:PORT - drives lldb-vscode-14 as an editor does, and prints what it shows.
import sys
import threading

from adapter_client import Client

client = Client(["lldb-vscode-14"])
client.ask("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
client.send("attach", program=sys.argv[1], stopOnEntry=True, attachCommands=["gdb-remote " + sys.argv[2]])
client.event("initialized")
print("initialized")
client.ask("setFunctionBreakpoints", breakpoints=[{"name": "fail"}])
client.ask("configurationDone")
client.event("stopped")
threads = client.ask("threads")["threads"]
print(len(threads), "threads")
for thread in threads:
    print(thread["name"])
# lldb loses a continue that comes before it has told its second stop at the start; while it runs, another one does nothing
again = threading.Timer(20, client.send, ["continue"], {"threadId": threads[0]["id"]})
again.start()
client.ask("continue", threadId=threads[0]["id"])
stop = client.event("stopped", reason="breakpoint")
again.cancel()
print("stopped:", stop["reason"])
frames = client.frames(stop["threadId"])
for i, frame in enumerate(frames[:2]):
    print("frame %d: %s %s" % (i, frame["name"], frame["source"]["name"]))
client.show_locals(frames[0])
client.waiting.clear()
client.ask("next", threadId=stop["threadId"])
stop = client.event("stopped", reason="step")
print("stopped:", stop["reason"])
print("line +%d" % (client.frames(stop["threadId"])[0]["line"] - frames[0]["line"]))
client.ask("setFunctionBreakpoints", breakpoints=[])
for _ in range(3):
    client.ask("continue", threadId=stop["threadId"])
    end = client.event("stopped", "exited")
    if end["event"] == "exited":
        print("exited", end["exitCode"])
        break
client.end()
