"""On what occasion a call is made."""

from __future__ import annotations

from dataclasses import dataclass

from ..calls.call import Call, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Nothing set: a call of its own."""

    retry_of: int | None = None
    """The call that it makes once more, because its answer was lost."""
    again: Call | None = None
    """An ended call with whose answer this one's is compared."""
    although_invalid: bool = False
    """A person chose to send arguments that break the input schema."""
    page: Page | None = None
    """Which page of an answer it asks for."""
    must_ask: bool = False
    """It repeats `again` although a second one counts, and is asked about whatever the policy
    says."""

    @property
    def counts_after(self) -> int | None:
        """The call that it repeats although a second one counts."""
        return self.again.id if self.must_ask and self.again is not None else None
