"""Tests in a pseudo-terminal are slow, except for one walk and the shortest rules of consent."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
QUICK = (
    "test_dialog_attacks.py::test_approving_sends_what_was_shown_once[key]",
    "test_dialog_attacks.py::test_every_way_out_denies",
    "test_plain_consent.py::TestConsent::test_one_approval_is_one_call",
    "test_plain_consent.py::TestConsent::test_the_end_of_input_denies_and_leaves",
    "test_plain_consent.py::TestConsent::test_what_is_pasted_with_the_command_approves_nothing",
    "test_plain_scripts.py::TestScripts::test_a_pipe_approves_nothing",
    "test_plain_scripts.py::TestScripts::test_each_line_of_a_pipe_is_a_command",
    "test_plain_scripts.py::TestScripts::test_hostile_words_are_shown_and_not_obeyed",
)


# Before pytest looks at `-m`.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        quick = tuple(f"tests/e2e/{name}" for name in QUICK)
        if HERE in item.path.parents and not item.nodeid.startswith(quick):
            item.add_marker(pytest.mark.slow)
