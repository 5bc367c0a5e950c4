"""A project, a home folder and a state folder for one case, and the person who uses them."""

import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import time

# The variables by which plan-machine recognizes that an agent runs it. Here, a person runs it, so they are removed.
MARKERS = re.compile(r"^(CLAUDE|CODEX|OPENCODE|GEMINI|GOOSE|CURSOR|AGENT_|PLAN_MACHINE_|XDG_)")

# The limit is long, because the computer that runs these tests may be busy.
LIMIT = int(os.environ.get("PLAN_MACHINE_AGENTS_LIMIT", "300"))


class World:
    def __init__(self, program, where=None, project="project"):
        self.top = tempfile.mkdtemp(prefix="gate-", dir=where)
        self.program = os.path.join(self.top, "bin", "plan-machine")
        self.home, self.project, self.state = (os.path.join(self.top, name) for name in ("home", project, "state"))
        for folder in (self.home, self.project, os.path.dirname(self.program)):
            os.makedirs(folder)
        # A copy of the program, because some cases remove or replace it.
        os.link(program, self.program) if same_disk(program, self.top) else shutil.copy2(program, self.program)
        self.env = {key: value for key, value in os.environ.items() if not MARKERS.match(key)}
        self.env.update(
            HOME=self.home,
            PLAN_MACHINE_HOME=self.state,
            PATH=os.path.dirname(self.program) + os.pathsep + self.env.get("PATH", ""),
            NO_PROXY="127.0.0.1,localhost",
            no_proxy="127.0.0.1,localhost",
            SHELL="/bin/sh",
        )
        with open(self.path("seed.txt"), "w") as file:
            file.write("SEED-OF-THE-PROJECT\n")
        subprocess.run(["git", "init", "-q", "."], cwd=self.project, env=self.env, check=False)

    def path(self, *parts):
        return os.path.join(self.project, *parts)

    def exists(self, name):
        return os.path.lexists(self.path(name))

    def person(self, *args, check=False, folder=None):
        """Runs plan-machine without a terminal."""
        done = subprocess.run([self.program, *args], cwd=folder or self.project, env=self.env, capture_output=True, text=True, timeout=LIMIT)
        if check and done.returncode != 0:
            raise AssertionError(f"plan-machine {' '.join(args)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def on_terminal(self, *args):
        """Runs plan-machine on a terminal and returns what the person sees."""
        master, slave = pty.openpty()
        process = subprocess.Popen([self.program, *args], cwd=self.project, env=self.env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        seen = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
        os.close(master)
        process.wait(LIMIT)
        return re.sub(r"\x1b\[[0-9;]*m", "", seen.decode(errors="replace")).replace("\r\n", "\n")

    def token(self):
        """Returns the token of the card that the person sees in a terminal."""
        seen = self.on_terminal("status")
        found = re.search(r"plan-machine approve (\S+)", seen)
        if not found:
            raise AssertionError(f"no card in:\n{seen}")
        return found.group(1)

    def store(self):
        for folder, _, files in os.walk(self.state):
            if "sessions.db" in files:
                return os.path.join(folder, "sessions.db")
        return None

    def sessions(self):
        """Returns the sessions that `plan-machine log` lists."""
        return [line.split()[0] for line in self.person("log", check=True).stdout.splitlines() if line]

    def denials(self):
        """Returns the denials in the audit, oldest first."""
        found = []
        for folder, _, files in os.walk(self.state):
            for name in files:
                if name.startswith("audit") and name.endswith(".jsonl"):
                    with open(os.path.join(folder, name)) as file:
                        found += [json.loads(line) for line in file if line.strip()]
        return found

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def same_disk(one, other):
    return os.stat(one).st_dev == os.stat(other).st_dev


def wait_for(condition, limit=LIMIT):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    return None
