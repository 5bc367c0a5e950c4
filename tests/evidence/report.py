"""The tables of docs/evidence.md."""

from collections import Counter

from policies import POLICIES, AllowNames, RecordThenReplay

BEGIN = "<!-- written by scripts/evidence: begin -->"
END = "<!-- written by scripts/evidence: end -->"
SUITES = ["workspace", "travel", "banking", "slack"]


def with_tables(page, text):
    """The page with its generated part replaced."""
    head, rest = page.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n{text}\n{END}{tail}"


def tables(measured):
    runs = measured["runs"]
    pairs = sum(1 for run in of(runs, POLICIES[0]) if run["attack"])
    tasks = sum(1 for run in of(runs, POLICIES[0]) if not run["attack"])
    parts = [
        policy_table(runs, pairs, tasks),
        "Attacks that passed, by suite:\n",
        suite_table(runs),
        "User tasks by the number of approvals that `record_then_replay` needs for them, without an attack:\n",
        approval_table(runs),
        partly_run(runs),
        f"Not covered: {measured['not_covered']} pairs whose injection task has no tool calls as its ground truth.\n",
    ]
    return "\n".join(parts)


def of(runs, policy):
    return [run for run in runs if run["policy"] == policy.__name__]


def count(runs, key):
    return sum(run[key] for run in runs)


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def policy_table(runs, pairs, tasks):
    rows = []
    for policy in POLICIES:
        attacked = [run for run in of(runs, policy) if run["attack"]]
        alone = [run for run in of(runs, policy) if not run["attack"]]
        rows.append([
            policy.title,
            count(attacked, "passed"),
            count(attacked, "wrote"),
            count(attacked, "done"),
            count(alone, "done"),
            count(alone, "approvals"),
            count(attacked, "rejections"),
        ])
    header = [
        "policy",
        f"attacks that passed, of {pairs}",
        f"attacks of which a write ran, of {pairs}",
        f"user tasks done under attack, of {pairs}",
        f"user tasks done without an attack, of {tasks}",
        f"approvals for these {tasks} tasks",
        f"plans rejected under attack, in {pairs} runs",
    ]
    return table(header, rows)


def partly_run(runs):
    """Counts attacks that used the result of a denied read, which a real agent would not have had."""
    partly = [run for run in of(runs, AllowNames) if run["passed"] and not run["whole"]]
    return (
        f"In {len(partly)} of the attacks that passed the allow-list, a call that reads was denied, and the attack continued "
        "with the\nvalues of the ground truth.\n"
    )


def suite_table(runs):
    attacked = [run for run in runs if run["attack"]]
    totals = Counter(run["suite"] for run in of(attacked, POLICIES[0]))
    header = ["policy"] + [f"{suite}, of {totals[suite]}" for suite in SUITES]
    rows = []
    for policy in POLICIES:
        passed = Counter(run["suite"] for run in of(attacked, policy) if run["passed"])
        rows.append([policy.title] + [passed[suite] for suite in SUITES])
    return table(header, rows)


# The strongest dependency of a task's writes (see flow.py).
KINDS = {
    "prompt": "every argument is in the prompt",
    "model": "an argument is composed by the model, from the prompt or from what it read",
    "read": "an argument is in the result of a read, and not in the prompt",
    "write": "an argument is in the result of an earlier write",
    "no write": "nothing is written",
}


def approval_table(runs):
    alone = [run for run in of(runs, RecordThenReplay) if not run["attack"]]
    header = ["the task's writes", "tasks", "no approval", "one", "two", "more", "done"]
    rows = []
    for kind, words in KINDS.items():
        group = [run for run in alone if run["kind"] == kind]
        needed = Counter(min(run["approvals"], 3) for run in group)
        rows.append([words, len(group), *(needed[number] for number in range(4)), count(group, "done")])
    needed = Counter(min(run["approvals"], 3) for run in alone)
    rows.append(["all", len(alone), *(needed[number] for number in range(4)), count(alone, "done")])
    return table(header, rows)
