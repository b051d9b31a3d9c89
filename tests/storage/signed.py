"""Sign-ins to store, and a process that stores them: FOLDER write|read|endless COUNT."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

from signoff.app.storage.sign_ins import ClientIdentity, SignInStore, StoredSignIn

RESOURCE = "https://mcp.example.com/mcp?tenant=1"
ISSUER = "https://as.example.com"
CLIENT = ClientIdentity("client 1", "S3CR3T-of-client", "client_secret_basic", "http://127.0.0.1/x")
ENTRY = StoredSignIn(
    RESOURCE,
    ISSUER,
    CLIENT,
    "ACCESS-token-0",
    "REFRESH-token-0",
    ("read", "write"),
    2_000_000_000.0,
    1_700_000_000.0,
    1_700_000_100.0,
    ("read", "write", "admin"),
    "https://as.example.com/token",
)
SECRETS = ("ACCESS-token", "REFRESH-token", "S3CR3T")


def numbered(number: int) -> StoredSignIn:
    """A sign-in in which every value that can change has the number, and long tokens."""
    return replace(
        ENTRY,
        access_token=f"{number}-" + "a" * 3_000,
        refresh_token=f"{number}-" + "r" * 3_000,
        scopes=(str(number),),
        until=float(number),
        refreshed_at=float(number),
    )


def number_of(entry: StoredSignIn) -> int:
    """The number of a sign-in; fails if it is mixed of two."""
    number = int(entry.scopes[0])
    assert entry == numbered(number)
    return number


def main() -> None:
    folder, doing, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    store = SignInStore(folder)
    if doing == "refresh":
        for _ in range(count):
            with store.locked(RESOURCE, ISSUER, 60.0):
                found = store.read(RESOURCE)
                assert found is not None
                store.write(numbered(number_of(found) + 1))
    elif doing == "hold":
        with store.locked(RESOURCE, ISSUER):
            print("held", flush=True)
            time.sleep(60)
    else:
        for number in range(1, count + 1):
            if doing == "write":
                store.write(numbered(number))
                print(number, flush=True)
            else:
                found = store.read(RESOURCE)
                assert found is not None
                number_of(found)


if __name__ == "__main__":
    main()
