"""What the tests of the command line share: `hilctl` as a person starts it, and a service that it started."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hilctl.access.token import VARIABLE, token_path
from tests.system import forked
from tests.system.service_parts import environment, until

RIG = "table-500"
FREE_PORTS = [f"service.{port}_port=0" for port in ("commands", "telemetry", "scope")]
PATIENCE_S = 400.0


class Shell:
    """A person at a terminal, with folders of his own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime, self.state = folder / "runtime", folder / "state"
        for place in (self.runtime, self.state):
            place.mkdir(exist_ok=True)
        self.environment = {
            **environment(), "XDG_RUNTIME_DIR": str(self.runtime), "XDG_STATE_HOME": str(self.state), "COLUMNS": "120",
            VARIABLE: str(token_path()),
        }  # fmt: skip
        for name in ("RUNTIME_DIRECTORY", "STATE_DIRECTORY"):
            self.environment.pop(name, None)

    def start(self, *words: str, **named: Any) -> "subprocess.Popen[str]":
        """A command that goes on."""
        command = [sys.executable, "-m", "hilctl", *words]
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, text=True, **named)

    def run(self, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        """A command, to its end, which has this exit code and no traceback."""
        done = forked.run(list(words), self.environment, self.folder, PATIENCE_S)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def said(self, *words: str) -> str:
        """What a command prints."""
        return self.run(*words).stdout

    def refused(self, *words: str, code: int = 1) -> str:
        """What a command says that is refused: nothing but that."""
        done = self.run(*words, code=code)
        assert not done.stdout
        assert done.stderr.startswith("hilctl")
        return done.stderr

    def json(self, *words: str) -> Any:
        """The JSON object that a command prints."""
        return json.loads(self.said(*words, "--json"))


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[Shell, "subprocess.Popen[str]", Path]]:
    """`hilctl run` of the twin, up; what it says on standard error is in the file."""
    shell, log = Shell(folder), folder / "run.log"
    with log.open("w") as output:
        process = shell.start("run", RIG, "--twin", "--set", *FREE_PORTS, *words, stderr=output, stdout=output)
    try:
        until(lambda: "commands at" in log.read_text() or process.poll() is not None, "the service")
        assert process.poll() is None, log.read_text()
        yield shell, process, log
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
