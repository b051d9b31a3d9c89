"""A session with an agent as lines and as JSON: its conversation, and each tool call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...approval.questions.sheet import text_lines
from ...content.json.jsonio import JsonValue, canonical
from ...content.text import count, cut, shortened, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.commands import mask_words
from .question_lines import FLAW_WORDS, option_words
from .session import AgentSession, ConversationEntry
from .stories import LOUD, CallStory, Flaw, Stories

LABEL: Final = 9
ARGUMENTS: Final = 120
"""Characters of the arguments on one line."""
LINES_MOST: Final = 1_000
CHARACTERS_MOST: Final = 100_000
"""Of the conversation, as far as it is drawn."""
NOT_ASKED: Final = "not asked"
_LABELS: Final = {"you": "you", "agent": "agent", "thought": "thinks", "tool": "tool"}
_RESULTS: Final = {"ok": "success", "tool error": "warning", "error": "error"}


def conversation_lines(entries: Sequence[ConversationEntry]) -> list[SheetLine]:
    """The newest part of the conversation, oldest first; the agent's texts are behind the gutter.

    It is drawn again with each piece of text, however fast an agent sends them.
    """
    found: list[list[SheetLine]] = []
    lines = characters = 0
    for entry in reversed(entries):
        found.append(list(entry_lines(entry)))
        lines += len(found[-1])
        characters += len(entry.text)
        if lines > LINES_MOST or characters > CHARACTERS_MOST:
            found.append([labelled("", LABEL, ("earlier entries are not shown", "dim"))])
            break
    return [line for one in reversed(found) for line in one]


def entry_lines(entry: ConversationEntry) -> Iterator[SheetLine]:
    """One item of the conversation."""
    if entry.story is not None:
        yield from story_lines(entry.story)
    elif entry.kind == "note":
        yield labelled("", LABEL, (entry.text, "dim"))
    elif entry.kind == "tool":
        title = shortened(entry.text or "(no title)", ARGUMENTS)
        status = shortened(entry.status or "no status", 20)
        yield labelled("tool", LABEL, (title, ""), (f"  {status}", "dim"), gutter=True)
    else:
        label = _LABELS[entry.kind]
        for at, pieces in enumerate(text_lines(entry.text.strip("\n"))):
            shown = pieces if entry.kind != "thought" else _dimmed(pieces)
            yield labelled("" if at else label, LABEL, *shown, gutter=entry.kind != "you")


def _dimmed(pieces: Sequence[Piece]) -> Sequence[Piece]:
    return [(text, role or "dim") for text, role in pieces]


def story_lines(story: CallStory) -> Iterator[SheetLine]:
    """A tool call: its name, the answer, the call that ran, and the findings."""
    role = "error" if story.loud else "strong"
    name = visible(story.tool) if story.tool is not None else "(tool not recognised)"
    yield labelled(
        "call", LABEL, (name, role), (f"  {answer_words(story)}, ", ""), *_ran(story), exact=False
    )
    arguments = story.sent.arguments if story.sent is not None else _asked_arguments(story)
    if arguments:
        yield labelled("", LABEL, (_short(arguments), "dim"), gutter=True)
    for flaw in story.flaws:
        role = "error" if flaw in LOUD else "noticed"
        yield labelled("", LABEL, (f"▲ {FLAW_WORDS[flaw]}", role))


def _asked_arguments(story: CallStory) -> JsonValue:
    return story.naming.arguments if story.naming is not None else None


def _short(arguments: JsonValue) -> str:
    return shortened(canonical(_masked(arguments)), ARGUMENTS)


def _masked(arguments: JsonValue) -> JsonValue:
    """Arguments without the secrets in them; the dialog shows them whole."""
    return mask_arguments(arguments, None).value if isinstance(arguments, dict) else arguments


def answer_words(story: CallStory) -> str:
    """Whether the call was asked, and the answer, in words of Signoff's own."""
    if story.request is None:
        covered = story.covered_by is not None
        return "not asked: allowed for good before" if covered else NOT_ASKED
    if not story.is_answered:
        return "asked"
    if story.option is None:
        return "asked: cancelled"
    words = option_words(story.request.options)[story.option.option_id]
    return f"asked: {words[:1].lower()}{words[1:]}"


def _ran(story: CallStory) -> Iterator[Piece]:
    if story.sent is None:
        is_open = story.was_asked and not story.is_answered
        yield ("waits for the answer", "noticed") if is_open else ("did not run", "dim")
        return
    result = story.result
    words = f"ran, {result}" if result else "ran, no response yet"
    yield words, _RESULTS.get(result, "dim")


def summary_lines(session: AgentSession) -> Iterator[SheetLine]:
    """Every tool call of the session, then what broke the protocol, then the total."""
    stories = session.stories
    for story in stories:
        yield from story_lines(story)
    for words in session.agent.problems:
        yield labelled("protocol", LABEL, (words, "noticed"))
    for words in session.refused:
        yield labelled("message", LABEL, (words, "error"))
    if more := session.refused_count - len(session.refused):
        yield labelled(
            "message", LABEL, (f"{count(more, 'further message')} not passed on", "error")
        )
    yield SheetLine(((total_words(stories), "strong"),))
    if stories.more:
        words = f"{count(stories.more, 'further call')} of this session not kept"
        yield SheetLine(((words, "noticed"),))


def total_words(stories: Stories) -> str:
    """The numbers of the session in one sentence."""
    ran = [one for one in stories if one.sent is not None]
    without = sum(Flaw.RAN_UNASKED in one.flaws for one in ran)
    loud = sum(bool(one.loud) for one in stories)
    contradict = "contradicts its question" if loud == 1 else "contradict their questions"
    words = f"{count(len(stories), 'tool call')}: {len(ran)} ran, {without} of them without asking"
    return f"{words}; {loud} {contradict}" if loud else words


def session_json(session: AgentSession, reasons: Sequence[str]) -> dict[str, Any]:
    """The whole session for `--json`; `reasons` are those for which the turns ended."""
    info = session.info
    return {
        "agent": {
            "name": session.launch.name,
            "command": mask_words(session.launch.command),
            "calls_itself": visible(info.name) if info is not None else None,
            "version": visible(info.version) if info is not None else None,
        },
        "server": {"name": session.launch.server, "tools": len(session.tools)},
        "stop_reasons": [visible(one) for one in reasons],
        "calls": [story_json(one) for one in session.stories],
        "calls_not_kept": session.stories.more,
        "text": [
            visible(cut(one.text, 10_000).text, multiline=True)
            for one in session.entries
            if one.kind == "agent"
        ],
        "problems": list(session.agent.problems),
        "not_passed_on": list(session.refused),
        "not_passed_on_count": session.refused_count,
    }


def story_json(story: CallStory) -> dict[str, Any]:
    """One tool call as JSON."""
    naming, request, option = story.naming, story.request, story.option
    return {
        "number": story.number,
        "tool": None if story.tool is None else visible(story.tool),
        "asked": story.was_asked,
        "named": naming is not None and naming.is_named,
        "name_from": naming.place.value if naming is not None and naming.place else None,
        "shows_arguments": naming is not None and naming.shows_arguments,
        "title": visible(cut(request.title, 2_000).text) if request is not None else None,
        "options": [
            {"id": visible(one.option_id), "name": visible(one.name), "kind": one.kind.value}
            for one in (request.options if request is not None else ())
        ],
        "asked_arguments": _masked(_asked_arguments(story)),
        "answer": None if option is None else option.kind.value,
        "ran": story.sent is not None,
        "sent_arguments": None if story.sent is None else _masked(story.sent.arguments),
        "result": story.result or None,
        "findings": [one.value for one in story.flaws],
    }
