"""The steps of the tour, in their order."""

from __future__ import annotations

from typing import Final

from signoff.app.core.tour.step import Step
from signoff.app.core.tour.steps_answering import ANSWERING
from signoff.app.core.tour.steps_approving import APPROVING

STEPS: Final[tuple[Step, ...]] = (*APPROVING, *ANSWERING)
