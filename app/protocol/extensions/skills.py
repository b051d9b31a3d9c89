"""Skills as values: entries of `skills/list`, their files, and what the draft demands of both.

The sections that are cited are those of skills.mdx, at the revision of the register.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ...content.labels import some_listed
from ...content.text import count, shortened, size
from ..findings.findings import Finding, error, note, warning

SKILLS: Final = "skills"
"""The word of `--experimental`."""
LIST: Final = "skills/list"
GET: Final = "skills/get"
DIRECTORY: Final = "resources/directory/read"
DYNAMIC: Final = "dynamic"
MAIN: Final = "SKILL.md"
FILES_MAX: Final = 512
BYTES_MAX: Final = 16 * 1024 * 1024
"""Files and bytes of a skill that every host takes (section "Limits")."""
_FILES_READ: Final = 5_000
"""Files of one entry that are looked at."""
_DEEPEST: Final = 100
"""Directories around a skill that are looked at."""
_DESCRIPTION_MAX: Final = 1_024
_NAMED: Final = 3
_SHOWN: Final = 80
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_NAME: Final = re.compile(r"(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)")
"""Agent Skills, "name field": 1 to 64 of a-z, 0-9 and hyphens; none at an end, and no two."""


@frozen
class SkillFile:
    """One file of an entry, as it is listed."""

    uri: str
    digest: str
    size: int

    def findings(self, data: bytes) -> Iterator[Finding]:
        """Compare the bytes that were read with the entry ("Verification on Read")."""
        if len(data) != self.size:
            words = f"{len(data):,} bytes were read; its entry has {self.size:,}"
            yield error("skill-size-differs", words, self.uri)
        if (found := digest_of(data)) != self.digest:
            words = f"the content has {found[:19]}…; its entry has {self.digest[:19]}…"
            yield error("skill-digest-differs", words, self.uri)


@frozen
class Skill:
    """One entry. `raw` is as it came; `findings` are about the entry alone."""

    uri: str
    name: str
    description: str
    frontmatter: Mapping[str, JsonValue]
    files: tuple[SkillFile, ...]
    is_dynamic: bool
    raw: JsonValue
    findings: tuple[Finding, ...] = ()

    @property
    def root(self) -> str:
        """The URI of its directory, without a slash at the end."""
        return root_of(self.uri)

    @property
    def size(self) -> int:
        """Bytes of all its files, as they are listed."""
        return sum(one.size for one in self.files)

    def file(self, uri: str) -> SkillFile | None:
        """The listed file of a URI; None for any other."""
        return next((one for one in self.files if one.uri == uri), None)

    def path(self, uri: str) -> str:
        """A file's path in the skill, or its whole URI outside of it."""
        return uri.removeprefix(f"{self.root}/")


def digest_of(data: bytes) -> str:
    """The digest of a file's bytes, as entries have it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def root_of(uri: str) -> str:
    """The directory of a `SKILL.md`; the URI itself if it names another file."""
    return uri.removesuffix(f"/{MAIN}")


def is_inside(root: str, uri: str) -> bool:
    """Whether a URI is a file below a directory, and stays there however it is resolved."""
    if not uri.startswith(f"{root}/"):
        return False
    rest = uri[len(root) + 1 :]
    if "?" in rest or "#" in rest:
        return False
    for _ in range(3):
        # What one reader decodes once, another decodes twice.
        segments = re.split(r"[/\\]", rest)
        if any(one in ("", ".", "..") for one in segments) or "\0" in rest:
            return False
        rest = unquote(rest)
    return True


def read_skill(raw: JsonValue) -> Skill:
    """Read an entry leniently; what breaks the draft is a finding of it."""
    entry = raw if isinstance(raw, dict) else {}
    found: list[Finding] = []
    if not isinstance(raw, dict):
        found.append(error("skill-invalid", "the entry is not an object"))
    uri = _text(entry, "uri", "$.uri", found)
    head = entry.get("frontmatter")
    frontmatter = head if isinstance(head, dict) else {}
    if not isinstance(head, dict):
        found.append(error("skill-invalid", "frontmatter is not an object", "$.frontmatter"))
    name = _text(frontmatter, "name", "$.frontmatter.name", found)
    description = _text(frontmatter, "description", "$.frontmatter.description", found)
    files, is_dynamic = _files(entry, found)
    skill = Skill(uri, name, description, frontmatter, files, is_dynamic, raw)
    found += [*_about_name(skill), *_about_files(skill)]
    return Skill(uri, name, description, frontmatter, files, is_dynamic, raw, tuple(found))


def _text(entry: Mapping[str, JsonValue], key: str, path: str, found: list[Finding]) -> str:
    value = entry.get(key)
    if isinstance(value, str) and value:
        return value
    found.append(error("skill-invalid", f"{key} is missing or not a text", path))
    return ""


def _files(
    entry: Mapping[str, JsonValue], found: list[Finding]
) -> tuple[tuple[SkillFile, ...], bool]:
    listed = entry.get("resources")
    if listed == DYNAMIC:
        words = "its files have no digests: an approval cannot be bound to their content"
        found.append(note("skill-dynamic", words, "$.resources"))
        return (), True
    if not isinstance(listed, list):
        words = 'resources is neither an array nor "dynamic": a host must not load this skill'
        found.append(error("skill-invalid", words, "$.resources"))
        return (), False
    files = []
    if len(listed) > _FILES_READ:
        words = f"{len(listed):,} files: the first {_FILES_READ:,} are looked at"
        found.append(warning("skill-over-limit", words, "$.resources"))
    for at, one in enumerate(listed[:_FILES_READ]):
        path = f"$.resources[{at}]"
        row = one if isinstance(one, dict) else {}
        uri, digest, length = row.get("uri"), row.get("digest"), row.get("size")
        if not isinstance(uri, str) or not isinstance(digest, str):
            found.append(error("skill-invalid", "a file has no uri or no digest", path))
            continue
        if not _DIGEST.fullmatch(digest):
            words = f"“{shortened(digest, _SHOWN)}” is not sha256: and 64 lowercase digits"
            found.append(error("skill-invalid", words, f"{path}.digest"))
        if not isinstance(length, int) or isinstance(length, bool) or length < 0:
            found.append(error("skill-invalid", "a file has no size in bytes", f"{path}.size"))
            length = 0
        files.append(SkillFile(uri, digest, length))
    return tuple(files), False


def _about_name(skill: Skill) -> Iterator[Finding]:
    if skill.uri and not skill.uri.endswith(f"/{MAIN}"):
        words = f"uri is “{shortened(skill.uri, _SHOWN)}”, which does not end in /{MAIN}"
        yield error("skill-invalid", words, "$.uri")
        return
    if not skill.name or not skill.uri:
        return
    last = skill.root.rpartition("/")[2]
    if last != skill.name:
        words = f"the path ends in “{shortened(last, _SHOWN)}”, the name is “"
        words += f"{shortened(skill.name, _SHOWN)}”"
        yield error("skill-name-differs", words, "$.uri")
    if not _NAME.fullmatch(skill.name):
        words = f"“{shortened(skill.name, _SHOWN)}” is not a name of 1 to 64 of a-z, 0-9 and -"
        yield error("skill-name-invalid", words, "$.frontmatter.name")
    if len(skill.description) > _DESCRIPTION_MAX:
        words = f"the description has {len(skill.description):,} characters, over "
        yield warning(
            "skill-over-limit", f"{words}{_DESCRIPTION_MAX:,}", "$.frontmatter.description"
        )


def _about_files(skill: Skill) -> Iterator[Finding]:
    if not skill.uri.endswith(f"/{MAIN}"):
        return
    if skill.is_dynamic or not skill.files:
        if not skill.is_dynamic and isinstance(_resources(skill), list):
            yield error("skill-files-incomplete", f"no {MAIN} is listed", "$.resources")
        return
    counted = Counter(one.uri for one in skill.files)
    if skill.uri not in counted:
        yield error("skill-files-incomplete", f"its own {MAIN} is not listed", "$.resources")
    twice = [uri for uri, times in counted.items() if times > 1]
    for uri in some_listed(twice, _NAMED, lambda one: shortened(one, _SHOWN)):
        yield error("skill-files-incomplete", f"listed more than once: {uri}", "$.resources")
    outside = [uri for uri in counted if uri != skill.uri and not is_inside(skill.root, uri)]
    for uri in some_listed(outside, _NAMED, lambda one: shortened(one, _SHOWN)):
        yield error("skill-file-outside", f"outside of the skill's directory: {uri}", "$.resources")
    if len(skill.files) > FILES_MAX:
        words = f"{len(skill.files):,} files, over the {FILES_MAX} that every host takes"
        yield warning("skill-over-limit", words, "$.resources")
    if skill.size > BYTES_MAX:
        words = f"{size(skill.size)} in total, over the {size(BYTES_MAX)} that every host takes"
        yield warning("skill-over-limit", words, "$.resources")


def _resources(skill: Skill) -> JsonValue:
    return skill.raw.get("resources") if isinstance(skill.raw, dict) else None


@frozen
class SkillListing:
    """The skills of a server, with findings on the list as a whole."""

    skills: tuple[Skill, ...]
    findings: tuple[Finding, ...] = ()
    missing: str = ""
    """Why there may be more, safe to show; empty if the list is whole."""

    def named(self, word: str) -> tuple[Skill, ...]:
        """The skills of a URI, or of a name: several may have it."""
        exact = tuple(one for one in self.skills if one.uri == word)
        return exact or tuple(one for one in self.skills if one.name == word)


def read_listing(
    entries: Iterable[JsonValue], findings: Sequence[Finding] = (), missing: str = ""
) -> SkillListing:
    """Read the entries of all pages; `findings` are those of the paging."""
    skills = tuple(map(read_skill, entries))
    return SkillListing(skills, (*findings, *_about_all(skills)), missing)


def _about_all(skills: Sequence[Skill]) -> Iterator[Finding]:
    """Collisions, and nested skills, whose files the outer one lists as well ("Resources")."""
    for uri, times in Counter(one.uri for one in skills if one.uri).items():
        if times > 1:
            words = f"{shortened(uri, _SHOWN)} is listed {times:,} times"
            yield error("skill-files-incomplete", words)
    by_name: dict[str, list[str]] = {}
    for one in skills:
        by_name.setdefault(one.name, []).append(one.uri)
    for name, uris in by_name.items():
        if name and len(set(uris)) > 1:
            listed = ", ".join(some_listed(uris, _NAMED, lambda uri: shortened(uri, _SHOWN)))
            words = f"{count(len(uris), 'skill')} named “{shortened(name, _SHOWN)}”: {listed}"
            yield warning("skill-name-collides", words)
    by_root = {one.root: one for one in skills if one.uri.endswith(f"/{MAIN}")}
    for inner in by_root.values():
        for outer in _around(inner, by_root):
            words = f"“{shortened(inner.name, _SHOWN)}” is inside “{shortened(outer.name, _SHOWN)}”"
            yield note("skill-nested", f"{words}: it needs an approval of its own", inner.uri)
            if outer.is_dynamic:
                continue
            listed_files = {(file.uri, file.digest, file.size) for file in outer.files}
            lacking = [
                file.uri
                for file in inner.files
                if (file.uri, file.digest, file.size) not in listed_files
            ]
            if lacking:
                words = f"lacks {count(len(lacking), 'file')} of the nested skill"
                yield error("skill-files-incomplete", f"{words} {shortened(inner.uri, _SHOWN)}")


def _around(inner: Skill, by_root: Mapping[str, Skill]) -> Iterator[Skill]:
    """The skills that a skill is inside of, the nearest one first."""
    root = inner.root
    for _ in range(_DEEPEST):
        root, slash, _name = root.rpartition("/")
        if not slash:
            return
        if (outer := by_root.get(root)) is not None and is_inside(outer.root, inner.uri):
            yield outer


def result_findings(method: str, result: Mapping[str, JsonValue]) -> Iterator[Finding]:
    """What a result lacks that every result of the method has ("Listing", "Getting a Skill")."""
    if result.get("resultType") != "complete":
        yield warning("skill-result", f"{method}: resultType is not complete", "$.resultType")
    life = result.get("ttlMs")
    if not isinstance(life, int | float) or isinstance(life, bool) or life < 0:
        yield warning("skill-result", f"{method}: ttlMs is not set to a number", "$.ttlMs")
    if result.get("cacheScope") not in ("public", "private"):
        words = f"{method}: cacheScope is neither public nor private"
        yield warning("skill-result", words, "$.cacheScope")


def frontmatter_findings(skill: Skill, found: Mapping[str, JsonValue]) -> Iterator[Finding]:
    """Compare the frontmatter of the file with the entry, field by field."""
    for key in dict.fromkeys((*skill.frontmatter, *found)):
        shown = shortened(key, _SHOWN)
        if key not in found:
            words = f"“{shown}” is in the entry, and is missing in {MAIN}"
        elif key not in skill.frontmatter:
            words = f"“{shown}” is in {MAIN}, and is missing in the entry"
        elif not same(skill.frontmatter[key], found[key]):
            words = f"“{shown}” differs between the entry and {MAIN}"
        else:
            continue
        yield error("skill-frontmatter-differs", words, f"$.frontmatter.{key}")


def get_findings(listed: Skill, got: Mapping[str, JsonValue]) -> Iterator[Finding]:
    """Compare the result of `skills/get` with the entry of the list."""
    entry = got.get("skill")
    if not isinstance(entry, dict):
        yield error("skill-get-differs", f"{GET} has no skill in its result", "$.skill")
    elif not same(entry, listed.raw):
        yield error("skill-get-differs", f"{GET} has another entry than {LIST}", "$.skill")


@frozen
class SkillChange:
    """The difference of one skill from the last look."""

    uri: str
    word: str
    """`added`, `removed` or `changed`."""
    lines: tuple[str, ...] = ()
    """`+`, `-` or `~`, and the path of a file or the key of the frontmatter."""


def skill_changes(before: Sequence[Skill], now: Sequence[Skill]) -> tuple[SkillChange, ...]:
    """Compare two listings: an approval that was bound to another set of files is revoked
    ("Content-bound approval").
    """
    old, new = ({one.uri: one for one in some if one.uri} for some in (before, now))
    found = []
    for uri in dict.fromkeys((*old, *new)):
        if uri not in old:
            found.append(SkillChange(uri, "added"))
        elif uri not in new:
            found.append(SkillChange(uri, "removed"))
        elif lines := tuple(_changed_lines(old[uri], new[uri])):
            found.append(SkillChange(uri, "changed", lines))
    return tuple(found)


def _changed_lines(old: Skill, new: Skill) -> Iterator[str]:
    for key in dict.fromkeys((*old.frontmatter, *new.frontmatter)):
        was, now = old.frontmatter.get(key), new.frontmatter.get(key)
        sign = "+" if key not in old.frontmatter else "-" if key not in new.frontmatter else "~"
        if sign != "~" or not same(was, now):
            yield f"{sign} frontmatter {shortened(key, _SHOWN)}"
    if old.is_dynamic != new.is_dynamic:
        yield "~ files " + ("without digests now" if new.is_dynamic else "with digests now")
    was_files, now_files = ({one.uri: one for one in some.files} for some in (old, new))
    for uri in dict.fromkeys((*was_files, *now_files)):
        path = shortened(new.path(uri), _SHOWN)
        if uri not in was_files:
            yield f"+ {path}"
        elif uri not in now_files:
            yield f"- {path}"
        elif was_files[uri] != now_files[uri]:
            yield f"~ {path}"
