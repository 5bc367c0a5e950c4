"""The real opencode: single turns with `opencode run`, and conversations of several turns with `opencode serve`."""

import json
import os
import subprocess
import urllib.error
import urllib.request

from world import LIMIT

NAME = "opencode"


class OpenCode:
    name = NAME

    def __init__(self, world, model, binary, session=None, trust=True, install=True):
        self.world, self.model, self.binary = world, model, binary
        xdg = {f"XDG_{kind}_HOME": os.path.join(world.home, kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
        world.env["XDG_CONFIG_HOME"] = xdg["XDG_CONFIG_HOME"]
        # opencode works in the folder that PWD names, and not in its working directory.
        self.env = {**world.env, **xdg, "PWD": world.project, "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}
        models = {"m": {"name": "m", "tool_call": True, "limit": {"context": 100000, "output": 1000}}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": {"baseURL": f"http://127.0.0.1:{model.port}/v1", "apiKey": "x"}, "models": models}
        config = {"$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "model": "mock/m", "small_model": "mock/m", "provider": {"mock": provider}, "permission": {"*": "allow"}}
        with open(world.path("opencode.json"), "w") as file:
            json.dump(config, file, indent=2)
        # opencode installs a package in each of its folders before it loads plugins; here, it finds the package.
        for folder in (world.path(".opencode"), os.path.join(xdg["XDG_CONFIG_HOME"], "opencode")):
            os.makedirs(os.path.join(folder, "node_modules"))
            wanted = {"dependencies": {"@opencode-ai/plugin": "1"}}
            for name, content in (("package.json", wanted), ("package-lock.json", {"packages": {"": wanted}})):
                with open(os.path.join(folder, name), "w") as file:
                    json.dump(content, file)
        if install:
            world.person("init", "--agent", NAME, "--yes", *(["--session", session] if session else []), check=True)

    def add_server(self, name, command):
        path = self.world.path("opencode.json")
        with open(path) as file:
            config = json.load(file)
        config.setdefault("mcp", {})[name] = {"type": "local", "command": command, "enabled": True}
        with open(path, "w") as file:
            json.dump(config, file)

    def short_limit(self):
        """Shortens the time limit of the plugin, so that the test does not take long."""
        path = self.world.path(".opencode", "plugins", "plan-machine.js")
        with open(path) as file:
            text = file.read().replace("60_000", "3_000")
        with open(path, "w") as file:
            file.write(text)

    def run(self, prompt="go", resume=False, extra=()):
        command = [self.binary, "run", *extra, *(["--continue"] if resume else []), prompt]
        return subprocess.run(command, cwd=self.world.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)

    def talk(self):
        return Conversation(self)


class Conversation:
    def __init__(self, opencode):
        self.opencode = opencode
        self.server = subprocess.Popen(
            [opencode.binary, "serve", "--hostname", "127.0.0.1", "--port", "0"], cwd=opencode.world.project, env=opencode.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        self.address = None
        for line in self.server.stdout:
            if "http://" in line:
                self.address = "http://" + line.split("http://")[1].strip()
                break
        self.id = self.request("POST", "/session", {})["id"]

    def request(self, method, path, body):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), {"content-type": "application/json"}, method=method)
        with opener.open(request, timeout=LIMIT) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.strip() else None

    def say(self, text):
        try:
            return json.dumps(self.request("POST", f"/session/{self.id}/message", {"parts": [{"type": "text", "text": text}]}))
        except urllib.error.HTTPError as error:
            return error.read().decode(errors="replace")

    def compact(self):
        self.request("POST", f"/session/{self.id}/summarize", {"providerID": "mock", "modelID": "m"})

    def close(self):
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
