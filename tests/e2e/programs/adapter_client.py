# adapter_client.py - an editor's side of the Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol), for
# an adapter that talks on its standard input and output.
import json
import subprocess
import sys


class Client:
    def __init__(self, command):
        self.adapter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.waiting = []  # events that came before an answer
        self.number = 0

    def receive(self):
        length = 0
        while True:
            line = self.adapter.stdout.readline()
            if not line:
                sys.exit("the adapter has ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif not line.strip() and length:
                return json.loads(self.adapter.stdout.read(length))

    def send(self, command, **arguments):
        self.number += 1
        body = {"seq": self.number, "type": "request", "command": command, "arguments": arguments}
        text = json.dumps(body).encode()
        self.adapter.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.adapter.stdin.flush()
        return self.number

    def answer(self, request):
        while True:
            message = self.receive()
            if message["type"] == "response" and message["request_seq"] == request:
                if not message["success"]:
                    sys.exit("refused: " + json.dumps(message))
                return message.get("body", {})
            self.waiting.append(message)

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    # The next event with one of these names. The adapter may say twice that it stopped at its start, so a stop has a
    # reason as well.
    def event(self, *names, reason=None):
        while True:
            message = self.waiting.pop(0) if self.waiting else self.receive()
            if message["type"] == "event" and message["event"] in names:
                body = message.get("body", {})
                if reason in (None, body.get("reason")):
                    return dict(body, event=message["event"])
                print("not awaited:", json.dumps(body), flush=True)

    def frames(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    # Prints the variables of the frame's first scope, which has its locals.
    def show_locals(self, frame):
        scope = self.ask("scopes", frameId=frame["id"])["scopes"][0]
        for variable in self.ask("variables", variablesReference=scope["variablesReference"])["variables"]:
            print(variable["name"], "=", variable["value"])

    def end(self):
        self.answer(self.send("disconnect"))
        self.adapter.stdin.close()
        self.adapter.wait()
