"""The pytest plugin as an older installation names it: it asks for a new installation."""

from __future__ import annotations

import pytest


def pytest_configure() -> None:
    """Raises UsageError: what pytest knows of Signoff was written by an older installation."""
    raise pytest.UsageError("Signoff's pytest plugin has moved: install Signoff again with pip")
