"""Try mutants: each in a fork of a process that has loaded the libraries and collected the tests; no file is touched.

A mutant is killed if a quick test in the folder that mirrors its package fails, or the examples of its module do. First
its function is changed in place, and the tests that call it are run: the one that killed it the last time, then the
quickest. If none fails, or the mistake is in no function, everything is loaded anew with the mistake in it, and all
the tests are run. One that computes several times as long as the sound source is killed as well.
"""

import contextlib
import gc
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from benchmarks.mutation.mutants import ROOT, SOURCE, Mutant

ENDLESS = "never ends"
QUICK = ("-q", "-s", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow")
Keep = Callable[[Mutant, str], None]


def try_all(package: str, chosen: list[tuple[Mutant, str]], keep: Keep) -> None:
    """Call `keep` with each mutant and the test that kills it, the empty text for survivors.

    chosen: each mutant with the test that killed it the last time, if that is known.
    """
    # As in tests/conftest.py, but a failure is not made smaller: that it is one is enough.
    settings.register_profile(
        "mutation",
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate),
    )
    trials = Trials(package, chosen, keep)
    trials.run()
    if trials.failed:
        raise SystemExit(f"{package}: before any mistake is made, this fails: {trials.failed}")


class Trials:
    """A plugin of pytest that runs the tests on each mutant, instead of once."""

    def __init__(self, package: str, chosen: list[tuple[Mutant, str]], keep: Keep) -> None:
        self.package, self.chosen, self.keep = package, chosen, keep
        self.failed = ""

    def run(self) -> None:
        """Collect the tests of the package and the examples of its modules, and run them by the hooks below."""
        modules = [path.relative_to(SOURCE).as_posix() for path in (SOURCE / self.package).rglob("[!_]*.py")]
        examples = [f"{ROOT}/tests/test_layout.py::test_examples_run[{module}]" for module in modules]
        with tempfile.TemporaryDirectory() as folder:
            options = (*QUICK, f"--basetemp={folder}/tests", "--hypothesis-profile=mutation")
            pytest.main([*options, f"{ROOT}/tests/{self.package}", *examples], plugins=[self])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or f"collecting {report.nodeid}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        sound = forked(lambda: self._sound(items), 1000)
        if self.failed or sound is None or sound[0]:
            self.failed = self.failed or (ENDLESS if sound is None else sound[0])
            return True
        _, seconds, calls = sound
        whole = sum(seconds.values())
        print(f"{self.package}: {len(items)} tests, {whole:.0f} s of computing", flush=True)
        functions = [
            thing
            for thing in gc.get_objects()
            if type(thing) is FunctionType and thing.__code__.co_filename.startswith(str(SOURCE))
        ]
        for mutant, last in self.chosen:
            callers = sorted(
                (test for test in items if mutant.within(calls[test])), key=lambda test: (test != last, seconds[test])
            )
            limit = 20 + int(3 * whole)
            by = forked(partial(self._in_place, mutant, functions, [items[test] for test in callers]), limit)
            if by == "":
                by = forked(partial(self._anew, mutant), limit)
            by = ENDLESS if by is None else by
            self.keep(mutant, by)
            print(f"{mutant.file}:{mutant.line}: {mutant.change}   {by or 'SURVIVED'}", flush=True)
        return True

    def _sound(self, items: dict[str, pytest.Item]) -> tuple[str, dict[str, float], dict[str, set[tuple[str, int]]]]:
        """What fails without any mistake, and for each test its seconds and the functions of the library it calls."""
        seconds, calls = {}, {}
        for name, item in items.items():
            called: set[tuple[str, int]] = set()

            def trace(frame: FrameType, *_: object, called: set[tuple[str, int]] = called) -> None:
                if frame.f_code.co_filename.startswith(str(SOURCE)):
                    called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

            begun = time.process_time()
            sys.settrace(trace)
            self._protocol([item])
            sys.settrace(None)
            seconds[name], calls[name] = time.process_time() - begun, called
        return self.failed, seconds, calls

    def _protocol(self, items: list[pytest.Item]) -> str:
        """The first of these tests that fails, if one does."""
        for number, item in enumerate(items):
            if not self.failed:
                following = items[number + 1] if number + 1 < len(items) else None
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self.failed

    def _in_place(self, mutant: Mutant, functions: list[FunctionType], items: list[pytest.Item]) -> str:
        """What fails when the function is changed where it is."""
        if mutant.function is None:
            return ""
        code = {part.co_qualname: part for part in _parts(compile(mutant.tree(), str(mutant.path), "exec"))}
        for function in functions:
            old = function.__code__
            if old.co_filename == str(mutant.path) and old.co_firstlineno == mutant.function.start:
                with contextlib.suppress(ValueError):  # what it takes from around it has changed: load anew
                    function.__code__ = code[old.co_qualname]
        return self._protocol(items)

    def _anew(self, mutant: Mutant) -> str:
        """What fails when all is loaded again, with the mistake in it."""
        for name in [name for name in sys.modules if name.split(".")[0] in ("oneof", "tests")]:
            del sys.modules[name]
        original, changed = SourceFileLoader.get_code, compile(mutant.tree(), str(mutant.path), "exec")

        def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
            return changed if Path(self.path) == mutant.path else original(self, name)

        # A method is replaced, which types do not foresee; this process is a fork, and ends soon.
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
        again = _Again(self.package, [], self.keep)
        again.run()
        return again.failed


class _Again(Trials):
    """All the tests, until one fails."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._protocol(session.items)
        return True


def _parts(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _parts(part)


def forked(work: Callable[[], Any], limit: int) -> Any:
    """What the work gives, done in a fork; None if it crashes, or computes for more than `limit` seconds."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(work, limit, sender))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode is None or child.exitcode >= 0:  # ended by no signal: the mistake is in this file
            raise RuntimeError(f"a trial ended with exit code {child.exitcode}") from None
        return None
    finally:
        child.join()


def _child(work: Callable[[], Any], limit: int, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sender.send(work())
    os._exit(0)
