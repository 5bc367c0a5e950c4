"""Codex's own terminal interface, on a terminal on which a person types."""

import os
import re
import shutil
import signal
import subprocess
import tempfile

from cases import PLAN, case, closed, ran, touch
from terminal import Terminal
from world import LIMIT, wait_for


class Interface:
    """Codex as a person starts it. Without options, it runs the hooks in a background server, unless its folder is in
    /tmp."""

    def __init__(self, t, *options):
        self.agent, self.home = t.agent, tempfile.mkdtemp(prefix="codex-", dir="/var/tmp")
        shutil.copytree(t.agent.env["CODEX_HOME"], self.home, dirs_exist_ok=True)
        self.env = {**t.agent.env, "CODEX_HOME": self.home}
        config = os.path.join(self.home, "config.toml")
        with open(config) as file:
            text = file.read()
        with open(config, "w") as file:
            file.write(f'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n{text}')
        self.terminal = Terminal([t.binary, *options], t.world.project, self.env)
        self.terminal.shows("Ask Codex to do anything")

    def say(self, text, answer):
        """Pastes a prompt, waits for words of the answer, and returns the text that Codex has shown since."""
        since = len(self.terminal.seen)
        # Codex treats an Enter key right after fast typing as part of the text, but not an Enter key after a paste.
        self.terminal.press(f"\x1b[200~{text}\x1b[201~")

        def answered():
            self.terminal.press("\r")
            return wait_for(lambda: "".join(answer.split()) in self.terminal.text(since), 5)
        assert wait_for(answered), f"not on the screen: {answer}\n{self.terminal.text(since)[-3000:]}"
        return self.terminal.text(since)

    def servers(self):
        """Returns the ids of the background processes that Codex has started."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as variables, open(f"/proc/{pid}/cmdline", "rb") as line:
                    if f"CODEX_HOME={self.home}".encode() in variables.read().split(b"\0") and b"app-server" in line.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def close(self):
        self.terminal.close()
        subprocess.run([self.agent.binary, "app-server", "daemon", "stop"], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.home, ignore_errors=True)


def planned(t, *options):
    """Starts Codex, lets it store a plan, and returns the text that is then on the screen."""
    t.model.script([[{"own": ["plan_write", {"markdown": PLAN}]}], "It is planned."])
    codex = Interface(t, *options)
    t.talks.append(codex)
    seen = codex.say("plan it", "It is planned.")
    assert "Thisplaniswaitingforyourdecision" in seen and "Touchthefile." in seen, f"no card on the screen:\n{seen}"
    return codex, seen


def waiting_token(t):
    """Returns the token of the plan without showing it to the person."""
    return re.search(r"plan-machine approve (\S+)", t.world.person("status").stdout).group(1)


@case("approval", "in Codex's terminal interface, the card is on the screen but does not count as shown: an approval there is refused, and the refusal names the other ways; after an approval in a terminal, the write runs", agents=("codex",), needs="mcp")
def in_terminal(t):
    codex, seen = planned(t)
    assert "Thisdoesnotcountasshowntoyou" in seen, f"the card does not say that it does not count:\n{seen}"
    assert codex.servers(), "Codex has not started its background server, so this case tests something else"
    token = waiting_token(t)
    codex.say(f".plan approve {token}", "plan-machine has not shown you the plan")
    (session,) = t.world.sessions()
    for way in (f"plan-machine status --session {session}", "plan-machine approve TOKEN", "plan-machine serve"):
        codex.terminal.shows(way)
    t.model.script([touch(), "Nothing has run."])
    codex.say("go", "Nothing has run.")
    closed(t)
    assert t.world.token() == token
    t.world.person("approve", token, check=True)
    t.model.script([touch("ALLOWED"), "It has run."])
    seen = codex.say("go on", "It has run.")
    assert ran(t, "ALLOWED"), f"the approved write did not run:\n{seen}"


@case("approval", "in Codex's terminal interface with an option on the command line, so that no background server runs the hooks, the card counts as shown, and an approval there lets the write run", agents=("codex",), needs="mcp")
def in_terminal_with_option(t):
    codex, seen = planned(t, "-c", "model_reasoning_summary=none")
    assert "Thisdoesnotcount" not in seen, seen
    assert not codex.servers(), "Codex has started its background server, so this case tests something else"
    t.model.script([touch("ALLOWED"), "It has run."])
    seen = codex.say(f".plan approve {waiting_token(t)}", "It has run.")
    assert ran(t, "ALLOWED"), f"the approved write did not run:\n{seen}"
