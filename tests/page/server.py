"""The server under test: the real `plan-machine serve`, with its own store, and the agents and people who use it."""

import json
import os
import queue
import secrets
import subprocess
import sys
import threading
import urllib.request
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agents"))

from world import LIMIT, World  # noqa: E402

SESSIONS = os.path.join(HERE, "..", "..", "specs", "sessions")
AGENTS = ("codex", "claude-code", "opencode", "gemini")
PERSON = "ann"


def gate(world):
    """Gates Codex in a new project, as a person would do it."""
    world.person("init", "--agent", "codex", "--yes", check=True)


class Server:
    """A server that tests can use as an agent or as a person, and restart."""

    def __init__(self, program, serve=(), prepare=gate, world=None):
        self.is_own = world is None
        self.world = world or World(program, project="shop")
        if self.is_own:
            prepare(self.world)
        self.tokens = {name: secrets.token_hex(24) for name in (*AGENTS, PERSON)}
        self.file = os.path.join(self.world.top, "tokens")
        with open(self.file, "w") as file:
            file.writelines(f"{name} {'person' if name == PERSON else 'host'} {token}\n" for name, token in self.tokens.items())
        self.serve = list(serve)
        self.start("127.0.0.1:0")

    @classmethod
    def of_store(cls, program):
        """A server without a project: Claude Code records its calls, and all other agents write plans."""
        files = [os.path.join(SESSIONS, name) for name in ("look_then_act.yaml", "record_then_replay.yaml")]
        return cls(program, ["--store", "sqlite:sessions.db", "--session", files[0], "--session", f"claude-code={files[1]}"], lambda _: None)

    def start(self, address):
        command = [self.world.program, "serve", "--listen", address, "--tokens", self.file, "--person", PERSON, *self.serve]
        self.process = subprocess.Popen(command, cwd=self.world.project, env=self.world.env, stdout=subprocess.PIPE, text=True)
        self.links = queue.Queue()
        threading.Thread(target=read_links, args=(self.process.stdout, self.links), daemon=True).start()
        self.link = self.links.get(timeout=LIMIT)
        assert self.link, "the server has ended"
        self.url = self.link.split("/open")[0]

    def stop(self):
        """Kills the server without any warning."""
        self.process.kill()
        self.process.wait()

    def again(self):
        """Starts the server again, at the same address and with the same store."""
        self.start(self.url.removeprefix("http://"))

    def close(self):
        self.stop()
        if self.is_own:
            self.world.close()

    def request(self, name, path, body=None):
        """Sends a request with the token of an agent or of the person."""
        request = urllib.request.Request(
            self.url + path, None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.tokens[name]}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return json.load(answer)

    def get(self, path):
        return self.request("codex", path)

    def call(self, session, name, args):
        """Makes a call as the agent of a session and returns the decision."""
        body = {"calls": [{"name": name, "args": args}]}
        return self.request(session.split(":")[0], api_path(session, "/decide"), body)["decisions"][0]

    def hook(self, session, tool, args):
        """Makes a call as Codex does: its hook, a separate process, asks the gate. Returns the exit status of the
        hook."""
        event = {"session_id": session.split(":", 1)[1], "turn_id": "t1", "cwd": self.world.project, "hook_event_name": "PreToolUse",
                 "tool_name": tool, "tool_input": args, "tool_use_id": secrets.token_hex(6)}
        command = [self.world.program, "hook", "--agent", "codex"]
        return subprocess.run(command, input=json.dumps(event), cwd=self.world.project, env=self.world.env, capture_output=True, text=True, timeout=LIMIT).returncode

    def command(self, session, line):
        """Sends a command as the person."""
        answer = self.request(PERSON, api_path(session, "/command"), {"line": line})
        assert answer["accepted"], answer

    def decide(self, session, decision, **more):
        """Reads the card of a session as the person, and decides about it."""
        card = self.request(PERSON, api_path(session))["cards"][0]
        shown = {key: card[key] for key in ("machine", "plan", "token")}
        return self.request(PERSON, api_path(session, "/decision"), {"decision": decision, **shown, **more})

    def state_of(self, session):
        """The states of a session, as a set."""
        machines = self.get(api_path(session))["machines"]
        return {node["name"] for machine in machines for node in machine["chart"]["nodes"] if node["current"]}


def read_links(lines, links):
    """Collects the links. After a link has been used, the server shows the next one."""
    for line in lines:
        if "/open?key=" in line:
            links.put(line.strip())
    links.put(None)


def api_path(session, rest=""):
    return f"/api/sessions/{quote(session, safe='')}{rest}"
