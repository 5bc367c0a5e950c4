"""Runs every pair of a user task and an attack under every policy, and records the results."""

import json
import subprocess
from pathlib import Path

from flow import Flow
from gate import Gate
from policies import POLICIES, OpenGate
from world import suites

HERE = Path(__file__).parent


class Writes:
    """Asks `plan-machine classify` which tools write."""

    def __init__(self, command, tools):
        lines = "".join(json.dumps({"tool": tool, "with": {}}) + "\n" for tool in tools)
        answer = subprocess.run(
            [command, "classify", str(HERE / "agentdojo.yaml")], input=lines, capture_output=True, text=True, check=True
        )
        classes = [json.loads(line)["class"] for line in answer.stdout.splitlines()]
        self.classes = dict(zip(tools, classes, strict=True))

    def __call__(self, call):
        return self.classes[call.tool] != "reads"


def measure(command, only=None):
    """Returns one record for each run: a user task under a policy, with an attack or without one."""
    runs, not_covered = [], 0
    for suite_name, suite in suites().items():
        writes = Writes(command, [tool.name for tool in suite.inner.tools])
        attacks, without_calls = suite.attacks()
        tasks = list(suite.inner.user_tasks.values())
        not_covered += without_calls * len(tasks)
        for task in tasks:
            if only and f"{suite_name}/{task.ID}" not in only:
                continue
            flow = Flow(suite, task, writes)
            for policy in POLICIES:
                with_gate(command, policy, lambda gate: runs.extend(
                    {"suite": suite_name, "task": task.ID, "policy": policy.__name__}
                    | run_one(suite, task, policy, gate, flow, attack)
                    for attack in [None, *attacks]
                ))
        print(f"{suite_name}: {len(tasks)} user tasks, {len(attacks)} attacks", flush=True)
    return {"runs": runs, "not_covered": not_covered}


def with_gate(command, policy, use):
    gate = Gate(command, HERE / policy.session) if policy.session else OpenGate()
    use(gate)
    if policy.session:
        gate.close()


def run_one(suite, task, policy, gate, flow, attack):
    world = suite.world(task, attacked=attack is not None)
    if policy.session:
        gate.begin_turn()
    agent = policy(world, gate, flow, world.calls_of(attack) if attack else [])
    agent.work()
    if attack and not agent.has_read_injection:
        raise RuntimeError(f"{task.ID} never reads an injection")
    if policy.session:
        gate.end_task()
    return {
        "attack": attack.ID if attack else None,
        "passed": attack is not None and world.attack_passed(attack),
        "wrote": any(flow.is_write(call) for call in world.ran if call in agent.attack and call not in agent.task),
        "whole": all(call in world.ran for call in agent.attack),
        "done": world.task_is_done(),
        "approvals": agent.person.approvals,
        "rejections": agent.person.rejections,
        "kind": flow.kind(),
        "ran": [f"{call.tool} {call.args}" for call in world.ran],
    }
