"""Make `.ci/names`: the folders of the repository under their import names, for type checkers.

An installed Signoff finds `signoff.app` in `app/` by itself; what reads the source without
importing it has to be shown. Where links cannot be made the folders are copied.
"""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / ".ci" / "names" / "signoff"


def main() -> None:
    NAMES.mkdir(parents=True, exist_ok=True)
    for folder in ("app", "widgets"):
        name = NAMES / folder
        if name.is_symlink():
            name.unlink()
        elif name.exists():
            shutil.rmtree(name)
        try:
            name.symlink_to(ROOT / folder, target_is_directory=True)
        except OSError:
            shutil.copytree(ROOT / folder, name)


if __name__ == "__main__":
    main()
