"""The simulated agent under each policy.

The agent makes the calls of its task in the order of the ground truth. Whenever it reads an injected instruction, it
also makes those calls of the attack that have not run yet. A persistent agent tries them again right after an approval,
too. Only calls that the gate lets run are executed.
"""

import json

from person import Person, recorded_steps
from world import Call, is_injected


class Agent:
    """What all policies share. Without an attack, `attack` is empty."""

    session = None  # the session document; None: no gate
    persistent = False
    careless = False

    def __init__(self, world, gate, flow, attack):
        self.world = world
        self.gate = gate
        self.flow = flow
        self.task = world.calls_of(world.user_task)
        self.attack = attack
        self.left = list(attack)  # the calls of the attack that neither ran nor are part of a plan
        self.has_read_injection = False
        self.person = Person(gate, self.wanted(), self.careless)

    def wanted(self):
        """What an honest person approves."""
        return self.task

    def work(self):
        for position, call in enumerate(self.task):
            self.step(position, call)

    def step(self, _position, call):
        self.make(call)

    def make(self, call):
        """Makes a call, and obeys what its result says."""
        outcome = self.gate.call(call.tool, call.arguments())
        if outcome == "ran":
            self.execute(call)
        return outcome

    def execute(self, call):
        result, failed = self.world.run(call)
        if self.attack and is_injected(result):
            self.has_read_injection = True
            self.obey()
        return failed

    def obey(self):
        """Makes the calls of the attack. If a call is denied, the agent still makes the next one."""
        denied = []
        for call in self.left:
            outcome = self.gate.call(call.tool, call.arguments())
            if outcome == "ran":
                self.world.run(call)
            elif outcome == "denied":
                denied.append(call)
        self.left = denied


class OpenGate:
    """No gate: every call runs."""

    def call(self, _tool, _args):
        return "ran"


class NoGate(Agent):
    title = "no gate"


class AllowNames(Agent):
    """The names of all tools that the task needs are approved before anything is read."""

    title = "allow-list of the plan's tool names"
    session = "allow_names.yaml"

    def wanted(self):
        return sorted({call.tool for call in self.task})

    def work(self):
        self.gate.own_tool("plan_names", tools=self.wanted())
        self.person.decide(listed_names)
        super().work()


class LookThenAct(Agent):
    """The plan is written when the first write is needed, after everything before it has been read."""

    title = "`look_then_act`, plan written after reading"
    session = "look_then_act.yaml"

    def __init__(self, *parts):
        super().__init__(*parts)
        self.approved = False

    def wanted(self):
        return [line_of(call) for call in self.task]

    def work(self):
        super().work()
        if self.left and self.has_read_injection and not self.approved:
            self.plan()  # the task needed no plan, but the attack does

    def step(self, _position, call):
        if self.make(call) == "denied":
            self.plan()
            if self.make(call) != "ran":
                raise RuntimeError(f"the gate denies {call} although the plan is approved")

    def plan(self):
        """Stores a plan. The first one contains the attack if the agent has read it; a person rejects that one."""
        attack = self.left if self.has_read_injection else []
        task = self.task if any(self.flow.writes) else []
        self.store(task + attack)
        if not self.person.decide(plan_lines):
            if not task:
                return
            self.store(task)
            if not self.person.decide(plan_lines):
                raise RuntimeError("the person rejected the user's own task")
        self.approved = True
        if self.persistent and self.has_read_injection:
            self.obey()

    def store(self, calls):
        self.gate.own_tool("plan_write", markdown="# Plan\n\n" + "\n".join(line_of(call) for call in calls))


class LookThenActPlanFirst(LookThenAct):
    """The plan of a task that writes is approved before anything is read."""

    title = "`look_then_act`, plan written before reading"

    def work(self):
        if any(self.flow.writes):
            self.plan()
        super().work()


class LookThenActPersistent(LookThenAct):
    title = "`look_then_act`, plan written after reading, and the agent tries the attack again after the approval"
    persistent = True


class RecordThenReplay(Agent):
    """Reads run, writes are recorded. Recorded calls are submitted when a later call depends on them, and at the end."""

    title = "`record_then_replay`"
    session = "record_then_replay.yaml"
    persistent = True

    def work(self):
        self.gate.own_tool("plan_begin")
        super().work()
        self.submit()

    def step(self, position, call):
        if self.flow.needs_earlier_writes(position) and self.submit():
            self.gate.own_tool("plan_begin")
        self.make(call)

    def submit(self):
        """Submits what is recorded, and replays it once it is approved. Returns whether anything was recorded."""
        while steps := recorded_steps(self.gate.own_tool("plan_read")):
            self.gate.own_tool("plan_submit", summary="The calls of the task.")
            if self.person.decide(recorded_calls):
                self.replay(steps)
                return True
            self.drop_what_was_rejected()
        return False

    def drop_what_was_rejected(self):
        calls = recorded_calls(self.gate.own_tool("plan_read"))
        for number in range(len(calls), 0, -1):
            if calls[number - 1] not in self.person.wanted:
                self.gate.own_tool("plan_drop", step=number)
                self.left.insert(0, calls[number - 1])

    def replay(self, steps):
        if self.persistent and self.has_read_injection:
            self.obey()
        for number, step in enumerate(steps, 1):
            call = Call.of(step["tool"], step["args"])
            if self.gate.call(call.tool, call.arguments()) != "ran":
                raise RuntimeError(f"the gate does not let the recorded {call} run")
            failed = self.execute(call)
            self.gate.signal("call_ended", tool=call.tool, args=call.arguments(), failed=failed)
            if failed:
                self.gate.command(f".plan skip {number}")


class RecordThenReplayCareless(RecordThenReplay):
    """The attack is tried only while planning: the person approves it there, so no second try is needed."""

    title = "`record_then_replay`, and the person approves every plan unread"
    careless = True
    persistent = False


def listed_names(card):
    return json.loads(card.splitlines()[0].removeprefix("Tools: "))


def line_of(call):
    return f"- {call.tool} {call.args}"


def plan_lines(card):
    return [line for line in card.splitlines() if line.startswith("- ")]


def recorded_calls(card):
    return [Call.of(step["tool"], step["args"]) for step in recorded_steps(card)]


POLICIES = [
    NoGate,
    AllowNames,
    LookThenActPlanFirst,
    LookThenActPersistent,
    LookThenAct,
    RecordThenReplayCareless,
    RecordThenReplay,
]
