"""Entries of skills with the digests of their files, for tests."""

from __future__ import annotations

import hashlib
from typing import Any

from signoff.app.protocol.extensions.register import EXTENSIONS

Json = dict[str, Any]


def file(uri: str, text: str) -> Json:
    """A file of an entry."""
    data = text.encode()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return {"uri": uri, "digest": digest, "size": len(data)}


def main(name: str, description: str = "Does it", more: str = "", body: str = "Do it.\n") -> str:
    """The text of a `SKILL.md`; `more` are lines of its frontmatter."""
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"


def skill(path: str, files: dict[str, str] | None = None, **frontmatter: Any) -> Json:
    """An entry; `files` are those below its directory, by default `SKILL.md` alone."""
    name = path.rpartition("/")[2]
    found = {"SKILL.md": main(name)} if files is None else files
    return {
        "uri": f"skill://{path}/SKILL.md",
        "frontmatter": {"name": name, "description": "Does it", **frontmatter},
        "resources": [file(f"skill://{path}/{one}", text) for one, text in found.items()],
    }


def without_revision(text: str) -> str:
    """A text without the revision of the draft: another one is a change of one file."""
    revision = EXTENSIONS["skills"].revision
    return text.replace(revision, "REVISION").replace(revision[:8], "REVISION")
