"""What a SARIF viewer makes of the text of a server."""

from __future__ import annotations

import pytest

from signoff.app.presentation.sarif import sarif_run


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("[a](https://example.com)", r"\[a\](https://example.com)"),
        ("C:\\[x]", r"C:\\\[x\]"),
    ],
)
def test_a_message_has_no_links(text: str, written: str) -> None:
    run = sarif_run([], [{"message": {"text": text}}], source="s", tools=1, status=0)
    assert run["results"] == [{"message": {"text": written}}]
