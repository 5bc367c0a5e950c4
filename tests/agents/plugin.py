"""The plugin folder of this repository, installed in the real Codex as the README of the plugin describes."""

import os
import subprocess

from cases import HERE, PLAN, case, closed, logged, ran, touch
from world import LIMIT

REPOSITORY = os.path.abspath(os.path.join(HERE, "..", ".."))


def install(t):
    """Installs the plugin instead of the hooks that `init` has written, and trusts its hooks."""
    os.remove(t.hooks_file())
    for words in (["marketplace", "add", REPOSITORY], ["add", "plan-machine@plan-machine"]):
        done = subprocess.run([t.binary, "plugin", *words], cwd=t.world.project, env=t.agent.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, done.stdout + done.stderr
    t.agent.trust()


@case("installation", "with the plugin folder instead of the hooks of `init`, a write is denied while planning, and runs after an approval", agents=("codex",), needs="mcp")
def plugin_folder(t):
    install(t)
    talk = t.talk()
    t.model.script([touch("ALLOWED"), [{"own": ["plan_write", {"markdown": PLAN}]}]])
    talk.say("plan it")
    closed(t, "ALLOWED")
    t.model.script([touch("ALLOWED")])
    talk.say(f".plan approve {t.world.token()}")
    assert ran(t, "ALLOWED"), "the approved write did not run"
    logged(t, talk, [rf"{t.shell} +denied not_allowed", "READY → EXECUTING", rf"{t.shell} +run {t.shell}"])
