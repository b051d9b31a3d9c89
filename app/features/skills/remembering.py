"""`signoff skills --remember`: a skill is shown whole, then a person types the approval of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from ...approval.grants import Remember, Scope
from ...approval.skill_approvals import FOR_A_SKILL
from ...calls.call import Call
from ...cli.approving.approvers import AsksForWord, LineApprover
from ...cli.approving.start_consent import is_person_there
from ...cli.output.printing import print_error, say
from ...cli.output.readable import Out
from ...cli.targets.live import Options
from ...cli.targets.targets import UsageError
from ...content.text import count, shortened, visible
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...protocol.extensions.skills import Skill
from .approving import give, standings_of, why_not_now
from .reading import SkillReader
from .words import NOT_GRANTED, whole_lines

WORD: Final = "approve"
_PROMPT: Final = "Type one of these and Enter; anything else approves nothing"


def asker_of(options: Options, engine: Engine) -> AsksForWord | None:
    """Who asks a person on this terminal; None if no person is there."""
    if isinstance(engine.approver, AsksForWord):
        return engine.approver
    if options.session is None and is_person_there():
        return LineApprover(options.config.decision_seconds)
    return None


async def remember_on_terminal(
    options: Options,
    engine: Engine,
    reader: SkillReader,
    skill: Skill,
    read: Callable[[str], Awaitable[Call]],
    asker: AsksForWord | None,
) -> int:
    """Read a skill, show it, and ask; returns the exit status. Raises UsageError without a
    terminal.
    """
    if options.as_json:
        raise UsageError("--remember asks a person: it has no --json")
    if asker is None:
        raise UsageError("--remember asks a person on a terminal; a script compares by --baseline")
    checked = await reader.check(skill, read)
    reader.keep()
    listed = reader.listing.skills
    [standing] = standings_of(engine, [skill], reader.runs)
    out = Out(options.hiding(engine))
    out.sheet(whole_lines(checked, standing, reader.texts))
    out.blank()
    if why := why_not_now(checked, listed) or engine.memory.problem:
        print_error(f"this skill cannot be approved: {visible(why)}")
        return ExitStatus.NOT_APPROVED if checked.stopped_by else ExitStatus.BROKEN
    typed = await asker.word(_question(engine, skill, session=options.session is not None), _PROMPT)
    remember = _offered(session=options.session is not None).get(typed)
    if remember is None:
        print_error("not approved")
        return ExitStatus.NOT_APPROVED
    if why := await give(engine, checked, listed, remember):
        print_error(f"not approved: {visible(why)}")
        return ExitStatus.STORE_UNUSABLE
    [standing] = standings_of(engine, [skill], reader.runs)
    say(f"{standing.state.value} {standing.why}; signoff grants list has it")
    return ExitStatus.OK


def _offered(*, session: bool) -> dict[str, Remember]:
    """Words that approve, with what each remembers; a command line has no session to last for."""
    return {
        f"{WORD} session" if one.scope is Scope.SESSION else f"{WORD} {count(one.days, 'day')}": one
        for one in FOR_A_SKILL
        if session or one.scope is not Scope.SESSION
    }


def _question(engine: Engine, skill: Skill, *, session: bool) -> Iterator[str]:
    """What an approval covers, and the words that give it."""
    files = count(len(skill.files), "file")
    yield f"Approve “{shortened(skill.name, 64)}” of {visible(engine.server.name)}, {files}?"
    yield f"skill      {visible(skill.uri)}"
    yield from (f"           {one}" for one in NOT_GRANTED)
    for at, typed in enumerate(_offered(session=session)):
        yield f"{'' if at else 'remember':<10} {typed}"
