"""What a question is about once more, in short: it stands right before the answer is typed."""

from __future__ import annotations

from ..approval.server_questions import AboutElicitation, AboutSampling
from ..content.json.jsonio import pretty_spans
from ..content.text import visible
from ..questions.question_words import exact_name
from ..questions.questions import AboutAnswer, Question
from ..questions.sheet import THEIRS, plain_spans
from .question_text import BLANK

AGAIN_MAX = 1_000
"""Characters of the arguments that are said again; all of them stand above."""


def again_lines(question: Question) -> list[str]:
    """Server, tool and all arguments as they will be sent, these on one line.

    A string has no line of its own in the JSON, so what is joined here is only its layout.
    """
    snapshot, server = question.snapshot, visible(question.server_name)
    if isinstance(question, AboutAnswer | AboutElicitation | AboutSampling):
        return []
    request = question.request
    what = request.method if request.tool is None else exact_name(request.name)
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if snapshot.task_ttl is not None:
        what += f" as a task (ttl {snapshot.task_ttl:,} ms)"
    arguments = snapshot.arguments()
    if not arguments:
        return [f"sends      {what} to {server}, no arguments, {sha}"]
    lines = (plain_spans(line).strip(" ") for line in pretty_spans(arguments))
    said = " ".join(lines)
    first = f"sends      {what} to {server}, {sha}:"
    if len(said) <= AGAIN_MAX:
        return [first, f"{THEIRS}{said}"]
    rest = f"the first {AGAIN_MAX:,} of {len(said):,} characters; all of them stand above"
    return [first, f"{THEIRS}{said[:AGAIN_MAX]}…", f"{BLANK}{rest}"]
