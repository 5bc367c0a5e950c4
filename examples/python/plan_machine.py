"""The gate of plan-machine for Python programs: one class over the HTTP interface, with the standard library alone."""

import json
import os
import urllib.request
from urllib.parse import quote


class Gate:
    """Decides the tool calls of one conversation. `plan-machine serve --tokens FILE` accepts the token of a `host`."""

    def __init__(self, session, server=None, token=None):
        self.server = server or os.environ.get("PLAN_MACHINE_SERVER", "http://127.0.0.1:4519")
        self.token = token or os.environ["PLAN_MACHINE_TOKEN"]
        self.session = session

    def request(self, path, body=None):
        """Sends a request about the session. Any failure raises an exception, so that nothing runs."""
        request = urllib.request.Request(
            f"{self.server}/api/sessions/{quote(self.session, safe=':')}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def decide(self, name, args, call_id):
        """Returns `None` if the call may run now, or else the answer for the model."""
        call = {"name": name, "args": args, "id": call_id}
        decision = self.request("decide", {"calls": [call]})["decisions"][0]
        return None if decision["decision"] == "run" else decision["text"]

    def command(self, line):
        """Sends a line that a person typed, such as `/plan on`, and returns the answer."""
        return self.request("command", {"line": line})["text"]

    def tools(self):
        """Returns the machines' own tools that the model may call now, in the format of OpenAI."""
        return self.request("advertised?shape=openai")["tools"]
