"""Sessions of the mock server: a store in memory that is also kept in a file, so that a restart loses nothing."""

import copy
import hashlib
import json
import os
import threading
from datetime import datetime, timedelta, timezone

from mock_machines import MACHINES, calls, chart


def now(minus=0):
    """The time, `minus` seconds ago."""
    return (datetime.now(timezone.utc) - timedelta(seconds=minus)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Session:
    """One session with one plan in its slot."""

    def __init__(self, session_id, project, machine, kept=None):
        self.__dict__.update({
            "id": session_id, "project": project, "machine": machine, "state": "none", "number": 0, "edition": 0, "revision": 0, "seq": 0,
            "markdown": None, "summary": None, "steps": [], "since": now(), "expires": None, "versions": [], "events": [], "once": {}, "runs": [], "objection": None,
        })
        self.__dict__.update(kept or {})

    @property
    def plan(self):
        return f"plan-{self.number}"

    @property
    def token(self):
        digest = hashlib.sha256(json.dumps([self.number, self.markdown, self.summary, [(step["tool"], step["args"]) for step in self.steps]]).encode()).hexdigest()
        return f"{self.edition}-{digest[:32]}"

    @property
    def waits(self):
        return self.state == "READY"

    def content(self):
        if self.machine == "LookThenAct":
            return [{"name": "markdown", "doc": "The plan, in Markdown.", "kind": "text", "text": self.markdown or "", "html": ""}] if self.markdown else []
        return [{"name": "summary", "doc": "What the steps do.", "kind": "text", "text": self.summary or "", "html": ""}, {"name": "steps", "doc": "The recorded calls.", "kind": "steps", "steps": copy.deepcopy(self.steps)}]

    def version(self, actor, event, at=None):
        """Keeps the content as it is now."""
        self.versions.insert(0, {"token": self.token, "edition": self.edition, "plan": self.plan, "seq": self.seq, "at": at or now(), "actor": actor, "event": event, "state": self.state, "decisions": [], "content": self.content()})

    def happened(self, actor, by, event, args, before, reply, at=None, ended=(), effects=()):
        at = at or now()
        self.events.insert(0, {
            "kind": "event", "seq": self.seq, "at": at, "actor": actor, "by": by, "machine": self.machine, "event": event, "args": args, "token": None, "callId": None,
            "plans": [{"plan": self.plan, "state": self.state, "before": before}], "ended": list(ended), "reply": reply,
            "effects": [{"id": f"{self.plan}/{self.seq}/{at_}", "name": name, "fields": fields, "pending": pending} for at_, (name, fields, pending) in enumerate(effects)],
        })

    def step(self, actor, by, event, args, state, reply, at=None, ended=(), effects=(), new_content=False):
        """One accepted event."""
        before, self.state = self.state, state
        self.seq += 1
        self.revision += 1
        self.since = at or now()
        if new_content:
            self.edition += 1
        self.happened(actor, by, event, args, before, reply, at, ended, effects)
        if new_content:
            self.version(actor, event, at)
        return reply

    def write(self, markdown, actor, at=None):
        if self.state == "none":
            self.number += 1
        self.markdown = markdown
        return self.step(actor, "model", "plan_write", {"markdown": markdown}, "READY", "The plan is stored. Wait for the user's approval.", at, (), [("plan_ready", {"plan": self.plan, "token": "…"}, False)], True)

    def submit(self, summary, actor, at=None):
        self.summary = summary
        return self.step(actor, "model", "plan_submit", {"summary": summary}, "READY", "The plan is submitted. Wait for the user's approval.", at, (), [("plan_ready", {"plan": self.plan, "summary": summary}, False)], True)

    def record(self, tool, args, actor, at=None):
        if self.state == "none":
            self.number += 1
        self.steps.append({"tool": tool, "args": args, "status": "waiting"})
        return self.step(actor, "model", tool, args, "RECORDING", f"[Planned] Step {len(self.steps)} is recorded and does not run now.", at)

    def decided(self, name, event, actor, reason=None, at=None):
        if self.versions:
            self.versions[0]["decisions"].append({"name": name, "event": event, "seq": self.seq + 1, "at": at or now(), "actor": actor, "reason": reason})

    def approve(self, actor, at=None):
        machine = MACHINES[self.machine]
        self.decided("approved", "approve", actor, None, at)
        return self.step(actor, "person", "approve", {}, machine["approved"], machine["text"], at, (), [(machine["effect"], {"plan": self.plan}, True)])

    def reject(self, actor, reason, at=None):
        self.decided("rejected", "reject", actor, reason, at)
        self.objection = reason
        return self.step(actor, "person", "reject", {"reason": reason or ""}, "REJECTED", "The plan is rejected. The model is told why and can store another one.", at, (), [("plan_rejected", {"plan": self.plan, "reason": reason or ""}, True)])

    def deny(self, tool, args, reason, actor, at=None):
        denied = {"kind": "denied", "seq": None, "at": at or now(), "actor": actor, "tool": tool, "args": json.dumps(args, ensure_ascii=False), "reason": reason}
        self.events.insert(0, denied)
        return denied

    # What the contract shows.

    def head(self):
        agent, _, conversation = self.id.partition(":")
        return {"sessionId": self.id, "agent": agent, "conversation": conversation, "project": self.project, "seq": self.seq}

    def states(self):
        return [{"machine": self.machine, "plan": self.plan, "state": self.state}] if self.state != "none" else []

    def baseline(self):
        older = [version for version in self.versions if version["token"] != self.token]
        for version in older:
            if version["decisions"]:
                last = version["decisions"][-1]
                return {"why": last["name"], "token": version["token"], "edition": version["edition"], "seq": last["seq"], "at": last["at"], "actor": last["actor"]}
        return {"why": "previous", **{key: older[0][key] for key in ("token", "edition", "seq", "at", "actor")}} if older else None

    def card(self):
        machine = MACHINES[self.machine]
        return {
            "machine": self.machine, "plan": self.plan, "state": self.state, "title": machine["states"][self.state][0], "asked": machine["asked"], "token": self.token, "shortToken": self.token[:10],
            "edition": self.edition, "revision": self.revision, "since": self.since, "expires": self.expires, "content": self.content(), "baseline": self.baseline(),
            "actions": [
                {"name": "approve", "event": "approve", "doc": machine["asked"], "reason": False, "typed": f".plan approve {self.token[:10]}"},
                {"name": "reject", "event": "reject", "doc": "Reject the plan as it was shown. The model reads the reason.", "reason": True, "typed": ".plan reject {reason...}"},
            ],
        }

    def waiting(self):
        card = self.card()
        text = self.markdown or self.summary or ""
        return {**self.head(), **{key: card[key] for key in ("machine", "plan", "state", "title", "asked", "since", "expires", "edition", "token")}, "summary": text[:400], "actions": ["approve", "reject"]}

    def commands(self):
        edges = MACHINES[self.machine]["edges"]
        typed = {event: label for _, _, event, label, by, _, _ in edges if by == "person"}
        more = {"approve": " {token?}", "reject": " {reason...}", "again": " {step}", "skip": " {step}"}
        return [
            {"event": event, "typed": label + more.get(event, ""), "doc": "", "reviewed": event == "approve", "available": any(edge[0] == self.state and edge[2] == event for edge in edges), "why": None}
            for event, label in typed.items()
        ]

    def command(self, line, actor):
        """Takes the transition of a command, and returns the answer."""
        found = [edge for edge in MACHINES[self.machine]["edges"] if edge[0] == self.state and edge[3] == line and edge[4] == "person"]
        if not found:
            return {"accepted": False, "text": f"`{line}` is not available now."}
        _, target, event, _, _, after, _ = found[0]
        if target:
            self.number += self.state == "none"
            self.step(actor, "person", event, {}, after or target, None, None, [{"plan": self.plan, "state": target}] if after else [])
        return {"accepted": True, "text": f"Switched to {self.state}."}

    def whole(self):
        machine = MACHINES[self.machine]
        title, _, _, _ = machine["states"][self.state]
        plans = [] if self.state == "none" else [{"machine": self.machine, "plan": self.plan, "previous": None, "state": self.state, "title": title, "final": False, "revision": self.revision, "edition": self.edition, "token": self.token, "content": self.content(), "data": {"edition": self.edition, "objection": self.objection}, "waiting": self.waits}]
        drawn = {"name": self.machine, "member": "work", "doc": machine["doc"], "many": False, "prompt": "", "chart": chart(machine, self.state), "commands": self.commands()}
        return {
            **self.head(), "problem": None, "cards": [self.card()] if self.waits else [], "plans": plans + self.runs, "damaged": [], "machines": [drawn], "calls": calls(machine, self.state),
            "turn": {"id": "message-1"}, "effects": sum(effect["pending"] for event in self.events for effect in event.get("effects", [])),
        }


class Store:
    """All sessions, the log of entries, and a condition that streams wait for."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Condition(threading.RLock())
        self.sessions, self.log, self.kept, self.denied, self.messages = {}, [], {"cookies": {}}, [], {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                stored = json.load(file)
            self.kept, self.log = stored["kept"], stored["log"]
            self.sessions = {key: Session("", "", "", value) for key, value in stored["sessions"].items()}

    def save(self):
        if not self.path:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump({"kept": self.kept, "log": self.log, "sessions": {key: session.__dict__ for key, session in self.sessions.items()}}, file)
        os.replace(self.path + ".new", self.path)

    def stored(self, session, actor, by, event):
        """Appends an entry to the log and wakes the streams."""
        waits = [{key: session.card()[key] for key in ("machine", "plan", "state", "token", "since")}] if session.waits else []
        self.log.append({"sessionId": session.id, "seq": session.seq, "place": f"0.{len(self.log) + 1}", "at": now(), "actor": actor, "by": by, "machine": session.machine, "event": event, "states": session.states() or [{"machine": session.machine, "plan": session.plan, "state": "none"}], "ended": [], "waiting": waits})
        self.save()
        self.lock.notify_all()
