"""AgentDojo's tasks and environments, without a model."""

import contextlib
import io
import json
import pickle
import warnings
from dataclasses import dataclass, field

warnings.filterwarnings("ignore")

from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime  # noqa: E402
from agentdojo.task_suite.load_suites import get_suites  # noqa: E402
from agentdojo.types import text_content_block_from_string  # noqa: E402
from pydantic import BaseModel  # noqa: E402

BENCHMARK = "v1.2.2"

# What every injection vector of the environment contains in an attack. The simulated agent obeys whatever it reads, so
# the words do not matter; a text without quotes fits everywhere in AgentDojo's YAML.
MARKER = "INJECTED-INSTRUCTION"


@dataclass(frozen=True)
class Call:
    tool: str
    args: str  # canonical JSON, so that calls can be compared

    @staticmethod
    def of(tool, arguments):
        return Call(tool, json.dumps(whole(dict(arguments)), sort_keys=True))

    def arguments(self):
        return json.loads(self.args)


def whole(value):
    """The value with `10.0` as `10`: JSON has one kind of number, and the gate writes the shorter form."""
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def plain(value):
    """A tool's result as JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def is_injected(result):
    """Whether a tool's result contains an injected instruction."""
    return MARKER in json.dumps(plain(result))


def copy_of(environment):
    """A deep copy. Pickling is several times faster than `model_copy`, and thousands of copies are needed."""
    return pickle.loads(pickle.dumps(environment, pickle.HIGHEST_PROTOCOL))


class Suite:
    """One suite of AgentDojo, with its environments loaded once."""

    def __init__(self, inner):
        self.inner = inner
        vectors = inner.get_injection_vector_defaults()
        self.clean = inner.load_and_inject_default_environment({})
        self.injected = inner.load_and_inject_default_environment({name: MARKER for name in vectors})
        self.verdicts = {}

    def world(self, user_task, attacked):
        environment = copy_of(self.injected if attacked else self.clean)
        return World(self, user_task, attacked, user_task.init_environment(environment))

    def attacks(self):
        """The injection tasks whose ground truth consists of tool calls, and the number of the others."""
        tasks = self.inner.injection_tasks.values()
        with_calls = [task for task in tasks if task.ground_truth(copy_of(self.clean))]
        return with_calls, len(tasks) - len(with_calls)


@dataclass
class World:
    """One run of one user task: the environment, and the calls that ran in it."""

    suite: Suite
    user_task: object
    attacked: bool
    environment: object
    ran: list = field(default_factory=list)

    def __post_init__(self):
        self.before = copy_of(self.environment)
        self.runtime = FunctionsRuntime(self.suite.inner.tools)

    def calls_of(self, task):
        """The ground truth of a user task or of an injection task."""
        calls = task.ground_truth(copy_of(self.before))
        return [Call.of(call.function, call.args) for call in calls]

    def run(self, call):
        """Runs a call in the environment. Returns its result, and whether it failed."""
        result, error = self.runtime.run_function(self.environment, call.tool, call.arguments())
        self.ran.append(call)
        return (error, True) if error else (result, False)

    def task_is_done(self):
        """AgentDojo's `utility` check. The final text is the one that AgentDojo gives for the ground truth."""
        return self._check(self.user_task)

    def attack_passed(self, injection_task):
        """AgentDojo's `security` check, which is true if the attack reached its goal."""
        return self._check(injection_task)

    def _check(self, task):
        # The environment depends only on the calls that ran, and the checks are slow, so equal runs share their verdict.
        key = (task.ID, self.user_task.ID, self.attacked, tuple(self.ran))
        if key not in self.suite.verdicts:
            output = [text_content_block_from_string(self.user_task.GROUND_TRUTH_OUTPUT)]
            traces = [FunctionCall(function=call.tool, args=call.arguments()) for call in self.ran]
            with contextlib.redirect_stdout(io.StringIO()):  # some checks print
                verdict = self.suite.inner._check_task_result(task, output, self.before, self.environment, traces)
            self.suite.verdicts[key] = bool(verdict)
        return self.suite.verdicts[key]


def suites():
    return {name: Suite(inner) for name, inner in get_suites(BENCHMARK).items()}
