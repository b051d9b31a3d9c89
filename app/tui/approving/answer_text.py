"""What a server said in asking, line by line and safe to draw."""

from __future__ import annotations

from ...approval.server_questions import AboutSampling, ServerQuestion
from ...content.text import cut, visible

LIMIT = 2_000


def said_by_server(question: ServerQuestion) -> list[str]:
    """The message of an elicitation, or the last message of a conversation."""
    if isinstance(question, AboutSampling):
        said = ""
        for message in question.sampling.messages:
            content = message.get("content")
            text = content.get("text") if isinstance(content, dict) else None
            said = text if isinstance(text, str) else said
    else:
        said = question.elicitation.message
    return visible(cut(said.strip(), LIMIT).text, multiline=True).split("\n")
