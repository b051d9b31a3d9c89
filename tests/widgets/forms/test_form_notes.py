"""What a schema allows and some validators reject is a note of the form, and no problem."""

from __future__ import annotations

from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.form_state import FormProblems


def test_it_is_noted_until_the_value_is_another_and_keeps_nothing_back() -> None:
    problems = FormProblems()
    ratio = Mismatch(("ratio",), "is not a multiple of 0.01", ("multipleOf",), "multipleOf")
    inner = Mismatch(("days", 0), "not a date", ("items", "format"), "format", "date")
    problems.judge((), (ratio, inner))
    assert set(problems.notes) == {("ratio",), ("days", 0)}
    assert problems.count() == 0
    problems.edited(("days",))
    assert set(problems.notes) == {("ratio",)}
    problems.judge(())
    assert problems.notes == {}
