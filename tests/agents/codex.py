"""The real Codex: single turns with `codex exec`, and conversations of several turns with `codex app-server`."""

import json
import os
import queue
import subprocess
import threading

from world import LIMIT

NAME = "codex"


class Codex:
    name = NAME

    def __init__(self, world, model, binary, session=None, trust=True, install=True):
        self.world, self.model, self.binary = world, model, binary
        self.env = {**world.env, "CODEX_HOME": os.path.join(world.home, ".codex"), "MOCK_KEY": "x"}
        world.env["CODEX_HOME"] = self.env["CODEX_HOME"]
        os.makedirs(self.env["CODEX_HOME"], exist_ok=True)
        self.config = os.path.join(self.env["CODEX_HOME"], "config.toml")
        with open(self.config, "w") as file:
            file.write(
                'model = "mock"\nmodel_provider = "mock"\ncheck_for_update_on_startup = false\n'
                f'[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:{model.port}/v1"\n'
                'wire_api = "responses"\nenv_key = "MOCK_KEY"\n'
                f'[projects."{world.project}"]\ntrust_level = "trusted"\n'
                "[features]\nmulti_agent = true\n"
            )
        if install:
            world.person("init", "--agent", NAME, "--yes", *(["--session", session] if session else []), check=True)
        if install and trust:
            self.trust()

    def trust(self):
        """Trusts the hooks as a person does in `/hooks`: stores the digests that Codex shows."""
        server = AppServer(self)
        found = server.request("hooks/list", {"cwds": [self.world.project]})
        server.close()
        with open(self.config, "a") as file:
            for hook in found["data"][0]["hooks"]:
                # The digest of a plugin's hook has a second part, the digest of the plugin's content.
                digests = zip(("trusted_hash", "trusted_content_hash"), hook["currentHash"].split("/"))
                file.write(f"[hooks.state.{json.dumps(hook['key'])}]\n" + "".join(f"{key} = {json.dumps(digest)}\n" for key, digest in digests))

    def add_server(self, name, command):
        with open(self.config, "a") as file:
            file.write(f"[mcp_servers.{name}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n")

    def short_limit(self):
        """Shortens the time limit of the hooks, so that the test does not take long."""
        path = self.world.path(".codex", "hooks.json")
        with open(path) as file:
            text = file.read().replace('"timeout": 120', '"timeout": 3')
        with open(path, "w") as file:
            file.write(text)
        with open(self.config) as file:
            kept = file.read().split("[hooks.state.")[0]
        with open(self.config, "w") as file:
            file.write(kept)
        self.trust()

    def run(self, prompt="go", resume=False, extra=()):
        """Runs one whole turn, as a script would."""
        command = [self.binary, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", *extra]
        command += ["resume", "--last", prompt] if resume else [prompt]
        return subprocess.run(command, cwd=self.world.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)

    def talk(self):
        return Conversation(self)


class AppServer:
    def __init__(self, codex):
        self.process = subprocess.Popen(
            [codex.binary, "app-server"], cwd=codex.world.project, env=codex.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.messages, self.next, self.notes = queue.Queue(), 0, []
        threading.Thread(target=self.read, daemon=True).start()
        self.request("initialize", {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {"experimentalApi": True}})
        self.send({"method": "initialized"})

    def read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self):
        message = self.messages.get(timeout=LIMIT)
        if message is None:
            raise AssertionError("codex app-server has ended")
        self.notes.append(message)
        return message

    def request(self, method, params):
        self.next += 1
        number = self.next
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Conversation:
    """A conversation of several turns in one process of Codex."""

    def __init__(self, codex):
        self.codex = codex
        self.server = AppServer(codex)
        thread = self.server.request("thread/start", {"cwd": codex.world.project, "approvalPolicy": "never", "sandbox": "danger-full-access"})
        self.id = thread["thread"]["id"]

    def say(self, text):
        """Sends a prompt and waits for the end of the turn."""
        seen = len(self.server.notes)
        self.server.request("turn/start", {"threadId": self.id, "input": [{"type": "text", "text": text}]})
        def is_end(message):
            return message.get("method") == "turn/completed" and message["params"].get("threadId") == self.id
        while not any(map(is_end, self.server.notes[seen:])):
            self.server.receive()
        return json.dumps(self.server.notes[seen:])

    def compact(self):
        seen = len(self.server.notes)
        self.server.request("thread/compact/start", {"threadId": self.id})
        while not any(message.get("method") in ("turn/completed", "thread/compacted") for message in self.server.notes[seen:]):
            self.server.receive()

    def close(self):
        self.server.close()
