"""What is wrong with a flow file: each mistake with its place."""

from __future__ import annotations

from dataclasses import dataclass

from ..content.text import visible


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A place in a text; line and column count from 1, and are 0 where there is none."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One mistake; `message` is safe to show."""

    spot: Spot
    message: str


class FlowError(ValueError):
    """Why a flow file is refused: every mistake that was found, in the order of the lines."""

    def __init__(self, file: str, mistakes: tuple[Mistake, ...]) -> None:
        self.file = visible(file)
        self.mistakes = mistakes
        super().__init__("\n".join(self.lines))

    @property
    def lines(self) -> tuple[str, ...]:
        """One a mistake, as `a.flow.yaml line 3, column 5: ...`; safe to show."""
        return tuple(
            f"{self.file} line {one.spot.line}, column {one.spot.column}: {one.message}"
            if one.spot.line
            else f"{self.file}: {one.message}"
            for one in self.mistakes
        )
