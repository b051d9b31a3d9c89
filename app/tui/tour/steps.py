"""The steps of the tour, in their order."""

from __future__ import annotations

from typing import Final

from .step import Step
from .steps_answering import ANSWERING
from .steps_approving import APPROVING

STEPS: Final[tuple[Step, ...]] = (*APPROVING, *ANSWERING)
