"""Options of a client that signs in by itself."""

from __future__ import annotations

import os
from typing import Any, Final

from .grouping import NOT_BUNDLED, SERVER
from .meaning import Fits, Repeat, Scope, session_opt

CLIENT_ID: Final[Any] = session_opt(
    "--client-id ID",
    "sign in to a URL as this client, by client credentials (OAuth), without a person",
    Repeat.GIVEN,
    Scope.SERVER,
    kept=True,
    fits=Fits.URL,
    flow="the client that signs in to the url by itself",
    group=SERVER,
    only=NOT_BUNDLED,
)
CLIENT_SECRET_ENV: Final[Any] = session_opt(
    "--client-secret-env NAME",
    "the variable with the secret of --client-id",
    Repeat.SOURCE,
    Scope.SERVER,
    kept=True,
    fits=Fits.URL,
    flow="the variable with the client's secret",
    group=SERVER,
    only=NOT_BUNDLED,
)
CLIENT_KEY: Final[Any] = session_opt(
    "--client-key FILE",
    "the PEM file with the private key of --client-id, in place of a secret",
    Repeat.GIVEN,
    Scope.SERVER,
    kept=True,
    fits=Fits.URL,
    flow="a PEM file with the client's private key",
    type=lambda path: os.path.abspath(os.path.expanduser(path)),
    group=SERVER,
    only=NOT_BUNDLED,
)
SCOPE: Final[Any] = session_opt(
    "--scope SCOPE",
    "the scopes to request for --client-id, with blanks between (default: those that the "
    "server names)",
    Repeat.GIVEN,
    Scope.SERVER,
    kept=True,
    fits=Fits.URL,
    flow="the scopes to request",
    group=SERVER,
    only=NOT_BUNDLED,
)
ISSUER: Final[Any] = session_opt(
    "--issuer URL",
    "send the secret of --client-id to this authorization server only (default: the one that "
    "the server names)",
    Repeat.GIVEN,
    Scope.SERVER,
    kept=True,
    fits=Fits.URL,
    flow="the only authorization server that gets the secret",
    group=SERVER,
    only=NOT_BUNDLED,
)
