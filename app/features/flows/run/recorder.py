"""`--record FILE`: records a session, and writes it as a flow file at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ....calls.call import State
from ....cli.options.meaning import Repeat
from ....cli.options.session import SessionOptions, session_options
from ....cli.output.printing import print_error
from ....cli.targets.targets import UsageError
from ....content.files.content import FileFault, write_text
from ....content.text import count, visible
from ....engine.events import CallChanged, EngineEvent, ServerAnswered, SignInAnswered
from ....engine.session_config import Target
from ....protocol.server import Trust

if TYPE_CHECKING:
    from ....approval.approval import Decision
    from ....approval.policies.policy import Policy
    from ....approval.sign_in import AboutSignIn
    from ....content.json.jsonio import JsonValue
    from ....engine.engine import Engine
    from ..recording import RecordedStep, SecretNames

NOTHING_GIVEN: Final = SessionOptions()
MOST: Final = 1_000
"""Steps of a recording; later calls are not recorded."""


class FlowRecorder:
    """Records one session. `attach` it to the engine before anything happens there."""

    def __init__(self, path: str, target: Target, given: SessionOptions = NOTHING_GIVEN) -> None:
        """`path` is where `write` puts it; empty for nowhere. Raises UsageError for a file that is
        there already."""
        self._path, self._target, self._given = Path(path), target, given
        if path and self._path.exists():
            raise UsageError(f"--record: {visible(path)} already exists and is not overwritten")
        self._engine: Engine | None = None
        self._rules: tuple[Policy, Trust] | None = None
        self._steps: dict[int, RecordedStep] = {}
        self._left_out = 0
        self._sign_in: JsonValue = None
        """That of the connection."""

    def attach(self, engine: Engine) -> None:
        """Take down what happens there."""
        self._engine = engine
        engine.subscribe(self._hear)

    def write(self) -> None:
        """Write the recorded steps, if there are any, and print the result."""
        if not self._path.name:
            return
        text, total = self.text()
        if not total:
            print_error("nothing was recorded: no call was answered or denied")
            return
        shown = visible(str(self._path))
        try:
            write_text(self._path, text)
        except FileFault as fault:
            print_error(f"--record: {shown} {fault}")
            return
        print_error(f"recorded {count(total, 'step')} in {shown}; signoff test {shown} runs them")
        print_error("with --settle it finds the values that change from run to run")

    def text(self) -> tuple[str, int]:
        """The flow file of the recorded steps, and their number; empty if there are none."""
        from ..recording import SecretNames, is_recordable, recorded_flow

        steps = [one for _, one in sorted(self._steps.items())]
        total = sum(is_recordable(one.call) for one in steps)
        if self._rules is None or not total:
            return "", 0
        comments = ["Recorded by Signoff."]
        if left := self._left_out + len(steps) - total:
            comments.append(f"Left out: {count(left, 'call')} that would end differently.")
        names = SecretNames()
        return recorded_flow(self._head(names), steps, names, comments), total

    def _hear(self, event: EngineEvent) -> None:
        engine = self._engine
        assert engine is not None
        match event:
            case CallChanged(call) if call.is_over or call.state is not State.WAITING:
                if call.id in self._steps:
                    step = self._steps[call.id]
                    step.call, step.ended = call, datetime.now(UTC)
                    return
                rules = (engine.policy, engine.server.trust)
                self._rules = self._rules or rules
                if rules != self._rules or len(self._steps) >= MOST:
                    self._left_out += call.is_over
                    return
                # Imported with the first call: events come before the tools are on the screen.
                from ..recording import RecordedStep

                self._steps[call.id] = RecordedStep(call, datetime.now(UTC))
            case ServerAnswered(question, decision):
                running = [one for one in self._steps.values() if not one.call.is_over]
                if running:
                    running[-1].answers.append((question, decision))
            case SignInAnswered(question, decision):
                self._take_sign_in(question, decision)

    def _take_sign_in(self, question: AboutSignIn, decision: Decision) -> None:
        """Keep the first sign-in of the connection, and of each call."""
        from ..recording import recorded_sign_in

        running = [one for one in self._steps.values() if not one.call.is_over]
        if running and running[-1].sign_in is None:
            running[-1].sign_in = recorded_sign_in(question, decision)
        elif not self._steps and self._sign_in is None:
            self._sign_in = recorded_sign_in(question, decision)

    def _options(self) -> Iterator[tuple[str, JsonValue]]:
        """The options of the session that are keys of a flow, as they were given."""
        from ..updating import escaped

        for name, _, means in session_options():
            value = getattr(self._given, name)
            is_source = means.repeat is Repeat.SOURCE and isinstance(value, str)
            if not means.flow or not (means.repeat is Repeat.GIVEN or is_source):
                continue
            if name != "name":
                # An entry of a configuration file can have it, too.
                value = value or getattr(self._target, name, None)
            if name == "scratch" and value:
                value = os.path.abspath(value)
            if value and value != "auto":
                yield name, escaped(value if isinstance(value, str) else sorted(value))

    def _head(self, names: SecretNames) -> dict[str, JsonValue]:
        """The keys of the flow that name the server and the rules."""
        from ....approval.policies.policy import PolicyKind
        from ....schemas.secrets.commands import mask_words

        target = self._target
        assert self._rules is not None
        policy, trust = self._rules
        head: dict[str, JsonValue] = {}
        if target.is_bundled:
            head["server"] = "demo"
        elif target.url:
            masked = "".join(target.shown or mask_words([target.url]))
            is_secret = masked != target.url
            head["url"] = f"${{{names.name_for(target.url, 'url')}}}" if is_secret else target.url
        else:
            words = zip(target.argv, target.shown or mask_words(target.argv), strict=True)
            head["command"] = [
                word if word == masked else f"${{{names.name_for(word, 'command_secret')}}}"
                for word, masked in words
            ]
        if target.headers:
            head["headers"] = {
                name: f"${{{names.name_for(value, f'header_{name}')}}}"
                for name, value in target.headers
            }
        if target.folder and not target.is_bundled:
            head["folder"] = target.folder
        if target.env:
            head["env"] = {
                name: f"${{{names.name_for(f'{name}={value}', name)}}}"
                for name, value in target.env
            }
        if trust is not (Trust.TRUSTED if target.is_bundled else Trust.UNTRUSTED):
            head["trust"] = trust is Trust.TRUSTED
        head |= dict(self._options())
        if self._sign_in is not None:
            head["sign_in"] = self._sign_in
        head["host" if policy.kind is PolicyKind.HOST else "policy"] = policy.name
        return head
