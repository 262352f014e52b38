# debug_adapter.py PROGRAM HOST:PORT - drives lldb-vscode-14 as an editor does, by the Debug Adapter Protocol
# (microsoft.github.io/debug-adapter-protocol), and prints what it shows.
import json
import subprocess
import sys

adapter = subprocess.Popen(["lldb-vscode-14"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
waiting = []
number = 0


def receive():
    length = 0
    while True:
        line = adapter.stdout.readline().strip()
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        elif not line and length:
            return json.loads(adapter.stdout.read(length))
        elif not line:
            sys.exit("the adapter has ended")


def send(command, **arguments):
    global number
    number += 1
    body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
    adapter.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    adapter.stdin.flush()
    return number


def answer(request):
    while True:
        message = receive()
        if message["type"] == "response" and message["request_seq"] == request:
            if not message["success"]:
                sys.exit("refused: " + json.dumps(message))
            return message.get("body", {})
        waiting.append(message)


# The next event of this name. The adapter may say twice that it stopped at its start, so a stop has a reason as well.
def event(name, reason=None):
    while True:
        message = waiting.pop(0) if waiting else receive()
        if message["type"] == "event" and message["event"] == name:
            body = message.get("body", {})
            if reason in (None, body.get("reason")):
                return body
            print("not awaited:", json.dumps(body), flush=True)


def ask(command, **arguments):
    return answer(send(command, **arguments))


ask("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
attach = send("attach", program=sys.argv[1], stopOnEntry=True, attachCommands=["gdb-remote " + sys.argv[2]])
event("initialized")
print("initialized")
ask("setFunctionBreakpoints", breakpoints=[{"name": "fail"}])
ask("configurationDone")
event("stopped")
threads = ask("threads")["threads"]
print(len(threads), "threads")
for thread in threads:
    print(thread["name"])
ask("continue", threadId=threads[0]["id"])
stop = event("stopped", "breakpoint")
print("stopped:", stop["reason"])
frames = ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
for i, frame in enumerate(frames[:2]):
    print("frame %d: %s %s" % (i, frame["name"], frame["source"]["name"]))
scopes = ask("scopes", frameId=frames[0]["id"])["scopes"]
for variable in ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]:
    print(variable["name"], "=", variable["value"])
waiting.clear()
ask("next", threadId=stop["threadId"])
stop = event("stopped", "step")
print("stopped:", stop["reason"])
after = ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
print("line +%d" % (after["line"] - frames[0]["line"]))
ask("setFunctionBreakpoints", breakpoints=[])
for _ in range(3):
    request = send("continue", threadId=stop["threadId"])
    message = answer(request)
    while True:
        message = waiting.pop(0) if waiting else receive()
        if message["type"] == "event" and message["event"] in ("stopped", "exited"):
            break
    if message["event"] == "exited":
        print("exited", message["body"]["exitCode"])
        break
send("disconnect")
adapter.stdin.close()
adapter.wait()
