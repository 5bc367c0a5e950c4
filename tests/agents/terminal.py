"""Runs a program on a terminal of its own, and types as the person at that terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

from world import wait_for

# Wide enough that no line of a card or of an answer is wrapped.
COLUMNS, LINES = 240, 60

# Control sequences: those that set a text, such as the title, and all others.
CONTROL = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[?][0-9;:<=>?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]")

# The requests of programs to a terminal, and the answers: the position of the cursor, and the type of the terminal.
ASKED = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?1;2c"}


class Terminal:
    def __init__(self, command, folder, env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(command, cwd=folder, env={**env, "TERM": "xterm-256color"}, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.seen = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            for question, answer in ASKED.items():
                for _ in range(data.count(question)):
                    os.write(self.master, answer)
            self.seen += data

    def text(self, since=0):
        """Returns what the program has shown, without spaces, because programs may move the cursor instead of writing spaces."""
        shown = CONTROL.sub(b"", self.seen[since:]).decode(errors="replace")
        return re.sub(r"\s+", "", shown)

    def shows(self, words, since=0):
        """Waits until the program shows these words, and returns what it has shown."""
        wanted = re.sub(r"\s+", "", words)
        assert wait_for(lambda: wanted in self.text(since)), f"not on the screen: {words}\n{self.text(since)[-3000:]}"
        return self.text(since)

    def press(self, keys):
        os.write(self.master, keys.encode())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
