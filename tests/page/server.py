"""The server under test: the mock, started here, or any other one with the same interface."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    """A server that the tests can talk to as an agent does, and restart."""

    def __init__(self, url=None, link=None, token=None, restart=None, more=()):
        self.process, self.restart_command, self.more = None, restart, list(more)
        self.mock = url is None
        if self.mock:
            self.state = os.path.join(tempfile.mkdtemp(prefix="page-"), "state.json")
            self.start(0)
        else:
            self.url, self.open, self.token = url.rstrip("/"), link, token

    def start(self, port):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "mock.py"), "--port", str(port), "--state", self.state, *self.more], stdout=subprocess.PIPE, text=True)
        said = json.loads(self.process.stdout.readline())
        self.url, self.open, self.token = said["url"], said["open"], said["token"]

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
        elif self.restart_command:
            subprocess.run([*self.restart_command.split(), "stop"], check=True)

    def again(self):
        """Starts the server again, at the same address and with the same store."""
        if self.mock:
            self.start(int(self.url.rsplit(":", 1)[1]))
        else:
            subprocess.run([*self.restart_command.split(), "start"], check=True)

    def call(self, session, name, args):
        """Makes a call as the agent of a session and returns the decision."""
        request = urllib.request.Request(
            f"{self.url}/api/sessions/{quote(session, safe='')}/decide", json.dumps({"calls": [{"name": name, "args": args}]}).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        for attempt in range(20):
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return json.load(answer)["decisions"][0]
            except (urllib.error.URLError, ConnectionError) as error:
                if isinstance(error, urllib.error.HTTPError) and error.code < 500 or attempt == 19:
                    raise
                time.sleep(0.25)
        return None

    def get(self, path):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def state_of(self, session):
        """The states of a session, as a set."""
        whole = self.get(f"/api/sessions/{quote(session, safe='')}")
        return {node["name"] for machine in whole["machines"] for node in machine["chart"]["nodes"] if node["current"]}
