"""The real gate: JSON lines to and from `plan-machine run SESSION.yaml`."""

import json
import subprocess


class Gate:
    """One process of the command. Several tasks may use it one after another; `end_task` drops the plan of a task."""

    def __init__(self, command, session):
        self.process = subprocess.Popen(
            [command, "run", str(session)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.turns = 0
        self.state = None

    def send(self, line):
        """Sends one line and returns the answer. An answer that is not one JSON object ends the run."""
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"the gate does not understand {line}: {answer}")
        self.state = answer["states"]["work"]
        return answer

    def begin_turn(self):
        """A message of the person."""
        self.turns += 1
        self.send({"turn": f"message-{self.turns}"})

    def call(self, tool, args):
        """A call of the model: `ran` (the host may run it), `recorded` or `denied`."""
        answer = self.send({"tool": tool, "with": args})
        if not answer["accepted"]:
            return "denied"
        return "ran" if answer.get("run") == tool else "recorded"

    def own_tool(self, tool, **args):
        """A call of the model to a tool of the machine, which has to be accepted."""
        return self._accepted({"tool": tool, "with": args})

    def command(self, text):
        """A command that the person types, which has to be accepted."""
        return self._accepted({"do": text})

    def signal(self, name, **payload):
        """A report of the host, which has to be accepted."""
        return self._accepted({"do": f"work.{name}", "with": payload})

    def end_task(self):
        """Drops a plan that is still open, so that the next task begins without one."""
        if self.state != "none":
            self.command(".plan done")
        if self.state != "none":
            raise RuntimeError("the session did not return to its beginning")

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError(f"the gate ended with status {self.process.returncode}")
        self.process.stdout.close()

    def _accepted(self, line):
        answer = self.send(line)
        if not answer["accepted"]:
            raise RuntimeError(f"the gate did not accept {line}: {answer}")
        return answer.get("reply")
