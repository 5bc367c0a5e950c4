"""The person who decides about plans. An honest person approves the user's task and nothing else."""

import json
import re


class Person:
    """Reads the card that the gate shows, and types commands.

    `wanted` are the calls of the user's own task. A careless person approves every card.
    """

    def __init__(self, gate, wanted, careless=False):
        self.gate = gate
        self.wanted = wanted
        self.careless = careless
        self.approvals = 0
        self.rejections = 0

    def decide(self, planned):
        """Approves or rejects the plan of the card. `planned` extracts the planned items from its text."""
        card = self.gate.command(".plan show")
        strange = [item for item in planned(card) if item not in self.wanted]
        if strange and not self.careless:
            self.rejections += 1
            self.gate.command(f".plan reject I did not ask for {strange[0]}")
            return False
        token = re.search(r"`\.plan approve (\S+)`", card).group(1)
        self.gate.command(f".plan approve {token}")
        self.approvals += 1
        return True


def recorded_steps(card):
    """The recorded calls on a card of `record_then_replay`."""
    line = next(line for line in card.splitlines() if line.startswith("Steps: "))
    return json.loads(line.removeprefix("Steps: "))
