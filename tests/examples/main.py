"""Runs the examples in Python against the real server, with the real packages from PyPI."""

import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "python")
sys.path[:0] = [EXAMPLES, os.path.join(HERE, "..", "page")]

import frameworks  # noqa: E402
from plan_machine import Gate  # noqa: E402
from server import LIMIT, Server, api_path  # noqa: E402

DOCUMENT = "session: Example\nmachines: { work: 'plan-specs:plan_mode' }\n"
FRAMEWORKS = (("langgraph", "langgraph_gate.py", frameworks.langgraph), ("openai-agents", "openai_agents_gate.py", frameworks.openai_agents))
LONGEST = 60


def serve(program):
    """A server of sessions that record calls as steps of a plan."""
    return Server(program, ["--store", "sqlite:sessions.db", "--session", "session.yaml"], prepare=write_document)


def write_document(world):
    with open(world.path("session.yaml"), "w") as file:
        file.write(DOCUMENT)


def check_example(server, channel, name):
    """Runs an example as its user does: the first call runs, and the second one is recorded."""
    path = os.path.join(EXAMPLES, name)
    with open(path) as file:
        assert len(file.readlines()) < LONGEST, f"{name} is too long"
    env = {**server.world.env, "PLAN_MACHINE_SERVER": server.url, "PLAN_MACHINE_TOKEN": server.tokens["codex"]}
    done = subprocess.run([sys.executable, "-B", path], env=env, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    ran, switched, recorded = done.stdout.splitlines()
    assert ran == "ran make" and "Plan mode is on" in switched and recorded.startswith("[Planned]"), done.stdout
    steps = server.get(api_path(f"{channel}:example-1"))["plans"][0]["content"]
    assert "make" in str(steps), steps


def check_framework(server, channel, calls):
    """Lets the framework call a tool for a model: only what the server lets run has run, with or without the server."""
    session = f"{channel}:framework-1"
    gate = Gate(session, server.url, server.tokens["codex"])
    assert calls(gate, "make one") == "ran make one"
    server.command(session, "/plan on")
    assert calls(gate, "make two").startswith("[Planned]")
    server.stop()
    assert "ran " not in calls(gate, "make three")
    server.again()
    assert calls(gate, "make four").startswith("[Planned]"), "the session is as it was"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the program `plan-machine`")
    server = serve(parser.parse_args().program)
    try:
        for channel, name, calls in FRAMEWORKS:
            check_example(server, channel, name)
            print(f"ok     {name}", flush=True)
            check_framework(server, channel, calls)
            print(f"ok     calls of a model with {channel}", flush=True)
    finally:
        server.close()


if __name__ == "__main__":
    main()
