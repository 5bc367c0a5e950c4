"""Runs the cases against the real agents, prints a table, and writes the table of guarantees."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import time
import traceback
from collections import Counter

import elsewhere
import in_terminal  # noqa: F401, adds a case
import on_page  # noqa: F401, adds a case
import plugin  # noqa: F401, adds a case
import ready_sessions  # noqa: F401, adds cases
from cases import CASES, Ran
from codex import Codex
from model import Model
from opencode import OpenCode
from world import World

AGENTS = {"codex": Codex, "opencode": OpenCode}
HERE = os.path.dirname(os.path.abspath(__file__))


class Test:
    """The project, the agent and the model of one case."""

    def __init__(self, options, agent, case):
        self.options, self.model = options, Model()
        self.world = World(options.program, options.folder)
        self.talks, self.models = [], [self.model]
        self.world.env["PATH"] += os.pathsep + os.pathsep.join(os.path.dirname(path) for path in options.binaries.values())
        self.binary, self.case = options.binaries.get(agent), case
        if agent == "both":
            self.agents = []
            for name, kind in AGENTS.items():
                model = self.model if name == "codex" else Model()
                self.models.append(model)
                self.agents.append((kind(self.world, model, options.binaries[name]), model, name))
            # `init` for the second agent has changed the documents and trusted them.
            self.agent = self.agents[0][0]
            return
        kind = AGENTS[agent]
        self.agent = kind(self.world, self.model, self.binary, install=False)
        self.before = self.files()
        if case.name not in ("disk_full",):
            self.install()

    def install(self):
        session = ["--session", self.case.session] if self.case.session else []
        self.world.person("init", "--agent", self.agent.name, "--yes", *session, check=True)
        if self.agent.name == "codex" and self.case.name != "untrusted":
            self.agent.trust()

    def change(self, *changes):
        """Changes documents of the gate as a person does: with an editor, and then with `plan-machine trust`."""
        texts = {document: self.document(document) for document, _, _ in changes}
        for document, before, after in changes:
            assert texts[document].count(before) == 1, f"{document} does not have `{before}` once"
            texts[document] = texts[document].replace(before, after)
        self.write_documents(texts)

    def use_machine(self, machine, calls=None):
        """Makes a session of one machine, with the agent's calls document or another one."""
        session = 'session: Other\nmachines: { work: machine.yaml }\ncalls: calls.yaml\ncommands: { prefix: "." }\n'
        calls = calls or self.document("calls.yaml")
        self.write_documents({"session.yaml": session, "machine.yaml": machine, "calls.yaml": calls})

    def document(self, name):
        with open(self.world.path(".plan-machine", name)) as file:
            return file.read()

    def write_documents(self, documents):
        for name, text in documents.items():
            with open(self.world.path(".plan-machine", name), "w") as file:
                file.write(text)
        self.world.person("trust", "--yes", check=True)

    def fresh_state(self):
        os.makedirs(self.world.state, exist_ok=True)
        return self.world.state

    def files(self):
        found = {}
        for folder, folders, files in os.walk(self.world.project):
            folders[:] = [name for name in folders if name not in (".git", "node_modules")]
            # opencode writes `.gitignore` into its folder when it starts.
            for name in (name for name in files if name != ".gitignore"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.world.project)] = file.read()
        return found

    def hooks_file(self):
        parts = (".codex", "hooks.json") if self.agent.name == "codex" else (".opencode", "plugins", "plan-machine.js")
        return self.world.path(*parts)

    @property
    def shell(self):
        """The name that the agent's hooks give the tool for commands."""
        return "Bash" if self.agent.name == "codex" else "bash"

    @property
    def spawn(self):
        """The name of the agent's tool that starts a subagent."""
        return "spawn_agent" if self.agent.name == "codex" else "task"

    def write_path(self, name):
        return name if self.agent.name == "codex" else self.world.path(name)

    def wait_steps(self):
        """Returns steps that wait for the end of a subagent, because Codex starts it in the background."""
        return [[{"wait": "subagent"}]] if self.agent.name == "codex" else []

    def add_server(self, name, command):
        self.agent.add_server(name, command)

    def short_limit(self):
        self.agent.short_limit()

    def talk(self):
        talk = self.agent.talk()
        self.talks.append(talk)
        return talk

    def close(self):
        for talk in self.talks:
            try:
                talk.close()
            except Exception:
                pass
        for model in self.models:
            model.stop()
        if not self.options.keep:
            self.world.close()


def has(program, command):
    return subprocess.run([program, command, "--help"], capture_output=True).returncode == 0


def can_mount():
    probe = os.path.join(HERE, ".probe")
    os.makedirs(probe, exist_ok=True)
    try:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], capture_output=True)
        if done.returncode == 0:
            subprocess.run(["umount", "-l", probe], check=False)
        return done.returncode == 0
    except FileNotFoundError:
        return False
    finally:
        os.rmdir(probe)


def run_one(options, case, agent):
    """Runs a case with an agent, and returns the outcome and a note."""
    if case.needs and case.needs not in options.has:
        print(f"NOT TESTED {agent:9} {case.name:22} needs {case.needs}", flush=True)
        return "not tested", f"needs {case.needs}"
    started, test = time.monotonic(), None
    try:
        test = Test(options, agent, case)
        case.run(test)
        outcome, note = "held", ""
    except Exception as problem:
        # A soft case may fail only because the call ran, and not for another reason.
        is_expected = agent in case.soft and isinstance(problem, Ran)
        outcome, note = "soft" if is_expected else "broken", "".join(traceback.format_exception_only(problem)).strip()
        if options.verbose:
            traceback.print_exc()
            if test:
                print(f"    kept in {test.world.top}" if options.keep else "", test.model.problems, file=sys.stderr)
    finally:
        if test:
            test.close()
    print(f"{outcome:10} {agent:9} {case.name:22} {time.monotonic() - started:6.1f} s  {note[:300]}", flush=True)
    return outcome, note


def cell(case, agent, outcomes):
    if agent not in case.agents and "both" not in case.agents:
        return ""
    outcome, _ = outcomes[(case.name, "both" if "both" in case.agents else agent)]
    if agent in case.soft and outcome == "held":
        return "**soft**: the call did not run here"
    return {"held": "hard", "soft": "**soft**: the call ran", "broken": "**BROKEN**", "not tested": "**NOT TESTED**"}[outcome]


def table_row(*cells):
    return "| " + " | ".join(cells) + " |"


def page(options, outcomes):
    lines = [
        "# Guarantees with real agents",
        "",
        "Generated by `scripts/test-agents`; do not edit. Each row was run with the real agent, a scripted model and the",
        "configuration that `plan-machine init` writes. Each run checks the file system: a forbidden file must not exist. Some runs",
        "also check the requests that the model received, and the output of `plan-machine log`.",
        "",
        f"Codex {options.versions['codex']}, opencode {options.versions['opencode']}. *Hard*: the guarantee held in this run; a run in which it does not hold fails.",
        "*Soft*: the agent makes the guarantee impossible, or a person can switch it off; the reason is below the table.",
        "",
        *elsewhere.LEGEND,
        "",
        table_row("", "Codex", "opencode", *elsewhere.OTHERS.values()),
        table_row(*["---"] * (3 + len(elsewhere.OTHERS))),
    ]
    notes, group = [], None
    groups = list(dict.fromkeys(case.group for case in CASES))
    for case in sorted(CASES, key=lambda case: groups.index(case.group)):
        if case.group != group:
            group = case.group
            lines.append(table_row(f"**{group}**", *[""] * (2 + len(elsewhere.OTHERS))))
        cells = [cell(case, agent, outcomes) for agent in AGENTS]
        lines.append(table_row(case.title, *cells, *elsewhere.cells(case.name)))
        for agent, why in case.soft.items():
            notes.append(f"- {case.title} ({agent}): {why}")
    lines += ["", "## Why some guarantees are soft", "", *notes, *open(os.path.join(HERE, "soft.md")).read().splitlines()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--codex", required=True)
    parser.add_argument("--opencode", required=True)
    parser.add_argument("--folder")
    parser.add_argument("--page")
    parser.add_argument("--versions", default="?,?")
    parser.add_argument("--only", default="")
    # A case spends most of its time waiting for its agent to start, so two cases run at a time.
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--allow-untested", action="store_true")
    options = parser.parse_args()
    options.binaries = {"codex": options.codex, "opencode": options.opencode}
    options.versions = dict(zip(("codex", "opencode"), options.versions.split(",")))
    options.has = {need for need, found in (("mcp", has(options.program, "mcp")), ("tmpfs", can_mount())) if found}
    chosen = [(case, agent) for case in CASES for agent in case.agents]
    if options.only:
        words = options.only.split(",")
        chosen = [(case, agent) for case, agent in chosen if case.name in words or f"{agent}:{case.name}" in words or agent in words]
    if not chosen:
        parser.error(f"no case and no agent is called `{options.only}`")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda pair: run_one(options, *pair), chosen))
    outcomes = {(case.name, agent): result for (case, agent), result in zip(chosen, results)}
    failed = [pair for pair in chosen if outcome_of(outcomes, pair) in ("broken", "not tested")]
    # A table with untested cells must not replace a complete table.
    untested = [pair for pair in failed if outcome_of(outcomes, pair) == "not tested"]
    is_new = False
    if options.page and not options.only and not untested:
        is_new = write_page(options.page, page(options, outcomes))
    counts = Counter(outcome for outcome, _ in results)
    print(f"\n{len(results)} runs: " + ", ".join(f"{many} {outcome}" for outcome, many in counts.items()))
    for case, agent in failed:
        outcome, note = outcomes[(case.name, agent)]
        print(f"  {outcome}: {agent}: {case.title}: {note[:500]}")
    if options.allow_untested:
        failed = [pair for pair in failed if pair not in untested]
    elif untested:
        print("Cases that cannot run here are failures, and the table was not written; --allow-untested accepts them.")
    if is_new:
        print(f"{options.page} was not up to date and was written again: review the difference and commit it.")
    return 1 if failed or is_new else 0


def write_page(path, text):
    """Writes the table of guarantees, and returns whether it has changed."""
    with open(path) as file:
        is_new = file.read() != text
    if is_new:
        with open(path, "w") as file:
            file.write(text)
    return is_new


def outcome_of(outcomes, pair):
    case, agent = pair
    return outcomes[(case.name, agent)][0]


if __name__ == "__main__":
    sys.exit(main())
