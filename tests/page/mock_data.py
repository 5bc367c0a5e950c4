"""Realistic sessions for the mock server: plans of Codex, Claude Code and opencode that wait, work or were denied."""

from mock_sessions import Session, now

DISCOUNT_1 = """# Add a discount to orders

Customers enter a code at checkout. A code lowers the price of an order by a fixed percentage.

## Steps

1. Add `discount_percent` to `Order` in `src/order.rs`, with a migration.
2. Apply the discount in `Order::total`.
3. Show the discount in the cart.

## Tests

- `total_with_discount` for 0, 10 and 100 percent
"""

DISCOUNT_2 = """# Add a discount to orders

Customers enter a code at checkout. A code lowers the price of an order by a fixed percentage, **never below zero**, and works once per customer.

## Steps

1. Add `discount_percent` and `discount_code` to `Order` in `src/order.rs`, with the migration `0042_discounts.sql`.
2. Apply the discount in `Order::total`, before tax:

   ```rust
   let net = self.net() * (100 - self.discount_percent.min(100)) / 100;
   ```

3. Refuse a code that the customer has already used.
4. Show the discount in the cart.

## Prices

| code | percent | valid until |
|:-----|--------:|:------------|
| `WELCOME` | 10 | end of the year |
| `STAFF` | 25 | no end |

## Tests

- [x] `total_with_discount` for 0, 10 and 100 percent
- [ ] `a_code_works_once`
- [ ] `discount_is_applied_before_tax`

> The tax office wants the discount on the invoice, see [their note](https://example.com/invoices#discounts).
"""

KEYS_2 = """# Rotate the API keys

The keys of the payment provider are older than a year.

1. Create new keys in the sandbox and run the contract tests.
2. Store them in the secret store, not in `.env`.
3. Deploy, then revoke the old keys.
"""

KEYS_3 = """# Rotate the API keys

The keys of the payment provider are older than a year. The old keys stay valid for 24 hours, so that running jobs can end.

1. Create new keys in the sandbox and run the contract tests.
2. Store them in the secret store, not in `.env`.
3. Deploy \u202ereverse order\u202c and watch the error rate for an hour.
4. Revoke the old keys.

<script>window.attacked = true</script>
<img src="https://tracker.example/pixel.png" onerror="window.attacked = true">

![status](https://tracker.example/status.png) [the runbook](javascript:alert(1)) [provider](https://payments.example/docs/keys)

<!-- a comment that a renderer would hide -->
"""

ONLY_READING = "not_allowed: Only reading runs before the user has approved a plan. Store the plan with `plan_write`; the user approves it with `.plan approve TOKEN`, or opens all tools with `.plan off`."


def codex():
    one = Session("codex:019a8e3e-5b7c-7d10-9f21", "shop", "LookThenAct")
    one.events.insert(0, {"kind": "turn", "seq": 0, "at": now(5400), "actor": "ann", "turn": "message-1"})
    one.number = 1
    one.step("ann", "person", "plan_on", {}, "DRAFTING", "Planning is on: only reading runs until you approve the plan.", now(5390))
    one.deny("apply_patch", {"command": "*** Begin Patch\n*** Update File: src/order.rs\n@@\n-pub struct Order {\n+pub struct Order { discount_percent: u8,\n*** End Patch"}, ONLY_READING, "codex", now(5200))
    one.write(DISCOUNT_1, "codex", now(4900))
    one.approve("ann", now(4700))
    one.step("ann", "person", "plan_on", {}, "READY", "Back to planning: only reading runs. The plan is kept.", now(3600))
    one.deny("Bash", {"command": "git push origin main"}, ONLY_READING + " the call has the class `writes`: rule 4 (`reads`): `git push` is not listed", "codex", now(3100))
    one.write(DISCOUNT_2, "codex", now(2520))
    return one


def claude():
    one = Session("claude-code:7f3c2b9e-4c1d", "billing", "RecordThenReplay")
    one.number = 1
    one.step("claude-code", "model", "plan_begin", {}, "RECORDING", "The plan has no steps yet. Make the calls of the plan now.", now(1300))
    one.record("Edit", {"file_path": "src/invoice.rs", "old_string": "const DUE_DAYS: i64 = 14;", "new_string": "const DUE_DAYS: i64 = 30;"}, "claude-code", now(1280))
    one.record("Bash", {"command": "cargo test -p billing invoice", "description": "Run the invoice tests", "timeout": 120000}, "claude-code", now(1250))
    one.deny("Bash", {"command": "python3"}, "refused: a shell or an interpreter without a script cannot be a step, because what is typed into it later is not part of the plan; make one call for each command", "claude-code", now(1240))
    one.record("Write", {"file_path": "docs/terms.md", "content": "# Payment terms\n\nInvoices are due 30 days after they are sent.\nReminders go out after 37 and 44 days.\n"}, "claude-code", now(1200))
    one.record("Bash", {"command": "git commit -am 'Invoices are due after 30 days'"}, "claude-code", now(1150))
    one.submit("Raise the payment term from 14 to 30 days, in code and in the documentation.", "claude-code", now(1100))
    one.expires = now(-1080)
    return one


def opencode():
    one = Session("opencode:ses_61f0aa12", "website", "LookThenAct")
    one.write(KEYS_2, "opencode", now(1500))
    one.reject("ann", "Running jobs still use the old keys. Keep them valid for a day.", now(900))
    one.write(KEYS_3, "opencode", now(380))
    return one


def others():
    gateway = Session("codex:019a8d11-90aa-7c02", "gateway", "LookThenAct")
    gateway.write("# Retry requests that time out\n\n1. Add a retry with backoff to `Client::send`.\n2. Count retries in the metrics.\n", "codex", now(7000))
    gateway.approve("ben", now(6500))
    gateway.deny("Bash", {"command": "rm -rf .codex"}, "not_allowed: `Bash` is denied in every state: the command writes `.codex`, which belongs to the gate", "codex", now(300))
    drafting = Session("claude-code:0d9e11aa-77b2", "search", "LookThenAct")
    drafting.number = 1
    drafting.step("ann", "person", "plan_on", {}, "DRAFTING", "Planning is on: only reading runs until you approve the plan.", now(700))
    off = Session("opencode:ses_5be2c0de", "playground", "LookThenAct")
    off.step("ann", "person", "plan_off", {}, "OFF", "Plan mode is off: every tool runs. `.plan on` turns it on.", now(90000))
    done = Session("gemini:c0ffee12", "docs", "LookThenAct")
    done.write("# Fix the broken links\n", "gemini", now(9000))
    done.approve("ann", now(8900))
    done.step("gemini", "model", "plan_done", {}, "none", "The plan is done, and the tools are closed again.", now(8000), [{"plan": "plan-1", "state": "COMPLETED"}])
    web = Session("web:abcdefgh", "bot", "LookThenAct")
    web.write("# Watch the nightly build\n\nLook at the build every morning and report failures.\n", "bot", now(20000))
    web.approve("ann", now(19000))
    web.runs = [{"machine": "AutoRun", "plan": f"run-{n}", "previous": None, "state": state, "title": state, "final": n == 1, "revision": n, "edition": 1, "token": "1-00", "content": [], "data": {"goal": "nightly build", "task": f"t{n}"}, "waiting": False} for n, state in ((1, "FINISHED"), (2, "RUNNING"))]
    return [gateway, drafting, off, done, web]


def seed(store):
    """Fills an empty store."""
    for session in [codex(), claude(), opencode(), *others()]:
        store.sessions[session.id] = session
    for session in sorted(store.sessions.values(), key=lambda one: one.since):
        store.stored(session, "seed", "host", "seed")


MEMORY = {
    "scopes": ["session:web:abcdefgh", "global"],
    "items": [
        {"scope": "session:web:abcdefgh", "text": "The nightly build runs at 02:00 UTC.", "at": now(40000), "by": "ann", "from": None},
        {"scope": "global", "text": "Reports go to the channel #builds.", "at": now(400000), "by": "ben", "from": "session:web:zyxwvuts"},
    ],
}


def invariants(*rows):
    return [{"name": name, "words": name.replace("_", " "), "statement": statement, "note": note, "verdict": verdict} for name, statement, verdict, note in rows]


PROOFS = {
    "ready": True, "problem": None,
    "documents": [
        {"kind": "session", "name": "LookThenAct", "file": "session.yaml", "doc": "The model reads until a person has approved its plan, one Markdown document; then every tool runs until the plan ends.",
         "invariants": invariants(
             ("nothing_is_written_before_approval", "never ((work.none or work.planning) and (runs writes or runs plan_notes))", "proved", None),
             ("reading_always_works", "always (runs reads and runs inner)", "proved", "Planning is never blocked by the gate."),
             ("only_a_person_approves", "work.EXECUTING only by work.approve", "proved", None),
             ("only_a_person_opens_the_tools", "runs writes only by work.approve or work.plan_off", "proved", None),
             ("only_a_person_turns_plan_mode_off", "work.OFF only by work.plan_off", "proved", None)),
         "scenarios": [{"name": name, "passed": True} for name in ("nothing runs before the approval", "a response cannot act on the plan that it stores", "a model cannot type commands", "a resumed conversation is closed")]},
        {"kind": "machine", "name": "LookThenAct", "file": "plan-specs:look_then_act", "doc": "Look, then act: the model reads until a person has approved its plan.",
         "invariants": invariants(
             ("an_approved_plan_never_changes", "markdown changes only in planning", "proved", "A plan that is taken back is a new record with a new token."),
             ("only_the_model_writes_the_plan", "markdown changes only by plan_write", "proved", None),
             ("a_rejected_plan_is_not_approved", "after reject: REJECTED", "proved", None),
             ("a_resumed_conversation_is_closed", "after resumed: denies writes and denies plan_notes and denies other_tools", "proved", None),
             ("a_person_always_has_a_way_out", "can always reach OFF by plan_off", "proved", None),
             ("the_plan_is_read_before_work", "always (EXECUTING implies prompts plan_read)", "unknown", "Depends on the text of the prompt."),
             ("the_model_cannot_end_its_plan", "after plan_done: EXECUTING", "broken", None)),
         "scenarios": [{"name": "without a plan only reading runs", "passed": True}, {"name": "a person begins a plan", "passed": False}]},
    ],
}
