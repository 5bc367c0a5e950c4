"""Tests `plan-machine mcp` with the client of the Python SDK: `test_mcp.py PROGRAM`.

Each revision of the protocol is tested in its own project. The tests check the messages that the client receives, and
never how long something takes.
"""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from importlib.metadata import version

import mcp
from mcp import types

PROGRAM = sys.argv[1]
SDK = version("mcp")
IS_CURRENT = not SDK.startswith("1.")

DOCUMENT = """\
session: Looking
machines: { work: "plan-specs:allowlist_plan" }
calls: "plan-specs:codex"
commands: { prefix: "." }
"""

TOOLS = ["plan_set_content", "plan_get", "plan_status", "plan_wait"]


class Project:
    """A gated project in a temporary folder, and the person who uses it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "project"
        documents = self.folder / ".plan-machine"
        documents.mkdir(parents=True)
        (documents / "session.yaml").write_text(DOCUMENT)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "PLAN_MACHINE_HOME": os.path.join(folder, "state"),
        }
        self.run("trust", "--yes")

    def run(self, *args, text=""):
        done = subprocess.run(
            [PROGRAM, *args], cwd=self.folder, env=self.env, input=text, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
        return done.stdout

    def on_a_terminal(self, *args):
        """Runs a command on a terminal, so that its output counts as shown to a person."""
        ours, theirs = os.openpty()
        child = subprocess.Popen([PROGRAM, *args], cwd=self.folder, env=self.env, stdin=theirs, stdout=theirs)
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        assert child.wait(60) == 0, text
        return text.decode()

    def approve(self, session):
        shown = self.on_a_terminal("status", "--session", session)
        token = re.search(r"approve (\d+-[0-9a-f]+)", shown)
        assert token, shown
        self.run("approve", token[1], "--session", session)

    def hook(self, tool, args):
        """Lets the hook of Codex rewrite the arguments of a call, as Codex would."""
        event = {
            "session_id": "talk-0001",
            "turn_id": "t1",
            "transcript_path": None,
            "cwd": str(self.folder),
            "hook_event_name": "PreToolUse",
            "model": "m",
            "permission_mode": "default",
            "tool_name": f"mcp__plan-machine__{tool}",
            "tool_input": args,
            "tool_use_id": f"call-{tool}",
        }
        answer = json.loads(self.run("hook", "--agent", "codex", text=json.dumps(event)))
        return answer["hookSpecificOutput"]["updatedInput"]


class Client:
    """Makes the same calls with either version of the SDK."""

    def __init__(self, session, revision):
        self.session = session
        self.revision = revision

    async def names(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, tool, args=None):
        """Returns whether the result is an error, and its text."""
        result = await self.session.call_tool(tool, args or {})
        is_error = result.is_error if IS_CURRENT else result.isError
        return bool(is_error), result.content[0].text

    async def works(self, tool, args=None):
        is_error, text = await self.call(tool, args)
        assert not is_error, f"{tool}: {text}"
        return text

    async def denied(self, tool, args, words):
        is_error, text = await self.call(tool, args)
        assert is_error and words in text, f"{tool}: {text}"


@asynccontextmanager
async def connect(project, mode, *flags, ask=None):
    server = mcp.StdioServerParameters(
        command=PROGRAM, args=["mcp", *flags], cwd=str(project.folder), env=project.env
    )
    if IS_CURRENT:
        async with mcp.Client(server, mode=mode, elicitation_callback=ask) as client:
            yield Client(client, client.protocol_version)
        return
    from mcp.client.stdio import stdio_client

    async with stdio_client(server) as (read, write):
        async with mcp.ClientSession(read, write, elicitation_callback=ask) as session:
            hello = await session.initialize()
            yield Client(session, hello.protocolVersion)


async def talk(project, mode, revision):
    """A whole conversation with a handle that the server creates."""
    async with connect(project, mode) as client:
        assert client.revision == revision, client.revision
        assert await client.names() == TOOLS

        await client.denied("plan_get", {}, "call `plan_status` first")
        await client.denied("plan_get", {"plan_session": "codex:talk-0001"}, "handle is not valid")
        text = await client.works("plan_status")
        handle = {"plan_session": text.rsplit(" ", 1)[1]}
        session = re.search(r"^(mcp:\S+)", project.run("status"), re.M)[1]

        await client.denied("plan_set_content", handle | {"plan_markdown": "# v1"}, f"`plan-machine command --session {session} .plan on`")
        await client.denied("approve", handle | {"token": "1"}, "no tool `approve`")
        project.run("command", "--session", session, ".plan on")
        await client.denied("plan_get", handle, "No plan is stored yet")
        await client.works("plan_set_content", handle | {"plan_markdown": "# v1"})
        assert await client.names() == TOOLS
        assert "waiting for the user's approval" in await client.works("plan_status", handle)

        waiting = asyncio.create_task(client.works("plan_wait", handle))
        await client.works("plan_status", handle)
        await asyncio.to_thread(project.approve, session)
        text = await waiting
        assert "no longer waits" in text and "The user has approved the plan" in text, text
        assert await client.works("plan_get", handle) == "# v1"
        assert "No plan is waiting" in await client.works("plan_wait", handle)


async def sealed(project, mode):
    """The hook determines which session a call belongs to, whatever the model has written."""
    async with connect(project, mode) as client:
        args = project.hook("plan_status", {"plan_session": "codex:another"})
        await client.works("plan_status", args)
        project.run("command", "--session", "codex:talk-0001", ".plan on")
        await client.works("plan_set_content", project.hook("plan_set_content", {"plan_markdown": "# v1"}))
        assert "waiting for the user's approval" in await client.works("plan_status", args)


async def asked(project, mode):
    """The client asks the person, but only with `--elicit`."""
    shown = []

    async def ask(_, params):
        shown.append(params.message)
        if len(shown) == 1:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"decision": "approve"})

    session = "test:asked-here"
    async with connect(project, mode, "--session", session, "--elicit", ask=ask) as client:
        await client.works("plan_status")
        project.run("command", "--session", session, ".plan on")
        await client.works("plan_set_content", {"plan_markdown": "# v2"})
        assert "waiting for the user's approval" in await client.works("plan_wait")
        assert "The user has approved the plan" in await client.works("plan_wait")
    assert len(shown) == 2 and all("# v2" in text for text in shown), shown

    session = "test:not-asked-here"
    async with connect(project, mode, "--session", session, ask=ask) as client:
        await client.works("plan_status")
        project.run("command", "--session", session, ".plan on")
        await client.works("plan_set_content", {"plan_markdown": "# v3"})
        waiting = asyncio.create_task(client.works("plan_wait"))
        await client.works("plan_status")
        await asyncio.to_thread(project.approve, session)
        assert "The user has approved the plan" in await waiting
    assert len(shown) == 2, shown


async def main():
    modes = [("auto", "2026-07-28"), ("legacy", "2025-11-25")] if IS_CURRENT else [("", "2025-11-25")]
    for mode, revision in modes:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(folder)
            await talk(project, mode, revision)
            await sealed(project, mode)
            await asked(project, mode)
        print(f"Python SDK {SDK}, revision {revision}: passed")


asyncio.run(main())
