"""Resources, templates and prompts with their icons, read leniently from the raw JSON.

Also the params and results of completion, and the schemas of their argument forms. Icons are named
in words and never fetched (spec 2025-11-25, schema, "Icon": `src` is an `https:` or a `data:` URI).
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import Final
from urllib.parse import unquote_to_bytes

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.json.parts import Flawed
from ...content.mime import found_type
from ...content.suggest import did_you_mean
from ...content.text import count, cut, hidden, shortened, size, visible
from ..answers.blocks import NOTHING_SAID, Annotations, read_annotations
from ..answers.links import size_words
from ..findings.findings import Finding, error, warning
from ..findings.model_texts import addressing_findings
from ..tool import shortened_name
from .uri_templates import MalformedTemplate, UriTemplate, read_template

ICONS_MAX: Final = 20
DATA_MAX: Final = 2_000_000
_URI_SHOWN: Final = 100
_SAFE_SOURCES: Final = ("https:", "http:", "data:")
"""What a client may show; it must refuse schemes such as `javascript:` (schema, "Icon")."""


@frozen
class Icon:
    """One icon; `src` is raw."""

    src: str
    sizes: tuple[str, ...] = ()

    @property
    def data(self) -> bytes | None:
        """The bytes of a `data:` URI; None for any other, and for an unreadable one."""
        head, comma, body = self.src.partition(",")
        if not self.src.startswith("data:") or not comma or len(self.src) > DATA_MAX:
            return None
        raw = unquote_to_bytes(body)
        if not head.endswith(";base64"):
            return raw
        try:
            return binascii.a2b_base64(raw, strict_mode=True)
        except binascii.Error:
            return None

    @property
    def words(self) -> str:
        """Describe the icon, safe to show."""
        sizes = f" for {shortened(', '.join(self.sizes), 40)}" if self.sizes else ""
        if (data := self.data) is not None:
            kind = found_type(data[:4096]) or "no known type"
            return f"in the list itself, {kind}, {size(len(data))}{sizes}"
        if self.src.startswith("data:"):
            return f"a data: URI that cannot be read{sizes}"
        return f"{shortened(self.src, _URI_SHOWN)}{sizes} (not fetched)"


def read_icons(raw: JsonValue, findings: list[Finding]) -> tuple[Icon, ...]:
    """Read the icons of an entry; malformed ones go to `findings`."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        findings.append(warning("malformed-icon", "icons is not an array", "$.icons"))
        return ()
    found = []
    for index, one in enumerate(raw[:ICONS_MAX]):
        src = one.get("src") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(src, str):
            findings.append(warning("malformed-icon", "an icon has no src", f"$.icons[{index}]"))
            continue
        if not src.lower().startswith(_SAFE_SOURCES):
            scheme = shortened(src.partition(":")[0], 20) if ":" in src else "no scheme"
            words = f"the src of an icon is not an https: or data: address ({scheme})"
            findings.append(warning("malformed-icon", words, f"$.icons[{index}].src"))
        sizes = one.get("sizes")
        if sizes is not None and not isinstance(sizes, list):
            words = "the sizes of an icon are not an array of strings"
            findings.append(warning("malformed-icon", words, f"$.icons[{index}].sizes"))
        given = sizes if isinstance(sizes, list) else [sizes]
        found.append(Icon(src, tuple(text for text in given[:8] if isinstance(text, str))))
    return tuple(found)


ARGUMENTS_MAX: Final = 200
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""RFC 3986, 3.1."""


class OfferKind(Enum):
    """Kinds of lists beside tools."""

    RESOURCE = ("resources", "resources/list", "resources", "resource")
    TEMPLATE = ("templates", "resources/templates/list", "resourceTemplates", "template")
    PROMPT = ("prompts", "prompts/list", "prompts", "prompt")

    def __init__(self, plural: str, method: str, key: str, word: str) -> None:
        self.plural = plural
        self.method = method
        """The request that lists them, one page at a time."""
        self.key = key
        """Under which its answer has them."""
        self.word = word

    @property
    def capability(self) -> str:
        """Capability that a server with such a list declares."""
        return "prompts" if self is OfferKind.PROMPT else "resources"


@frozen(kw_only=True)
class _Offered:
    """Fields of all offers. `index` is the place in the list: names may repeat."""

    index: int
    raw: JsonValue = field(repr=False)
    name: str
    title: str
    description: str
    icons: tuple[Icon, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def display_name(self) -> str:
        return shortened_name(self.name) if self.name else "(no name)"

    @property
    def title_shown(self) -> str:
        """The title, or the name if there is none."""
        return shortened_name(self.title) if self.title else self.display_name

    @property
    def key(self) -> str:
        """A unique key among the others, if there is one."""
        return self.name

    @property
    def search_text(self) -> str:
        return "\n".join((self.key, self.name, self.title, self.description)).casefold()


@frozen(kw_only=True)
class Resource(_Offered):
    """One entry of `resources/list`."""

    uri: str
    mime: str = ""
    size: JsonValue = None
    annotations: Annotations = NOTHING_SAID

    @property
    def key(self) -> str:
        return self.uri


@frozen(kw_only=True)
class ResourceTemplate(_Offered):
    """One entry of `resources/templates/list`."""

    uri_template: str
    mime: str = ""
    annotations: Annotations = NOTHING_SAID
    template: UriTemplate | None = None
    """The parsed template; None if it is invalid by RFC 6570, so that nothing can be expanded."""

    @property
    def key(self) -> str:
        return self.uri_template


@frozen
class PromptArgument:
    """One argument of a prompt; its value is always a string."""

    name: str
    title: str
    description: str
    is_required: bool


@frozen(kw_only=True)
class Prompt(_Offered):
    """One entry of `prompts/list`."""

    arguments: tuple[PromptArgument, ...] = ()


Offer = Resource | ResourceTemplate | Prompt


def read_offers(kind: OfferKind, entries: Iterable[JsonValue]) -> tuple[Offer, ...]:
    """Every entry of a whole list, in its order."""
    offers = [read_offer(kind, index, raw) for index, raw in enumerate(entries)]
    counts = Counter(offer.key for offer in offers if offer.key)
    return tuple(
        replace(offer, findings=(*offer.findings, _twice(kind, counts[offer.key])))
        if counts[offer.key] > 1
        else offer
        for offer in offers
    )


def read_offer(kind: OfferKind, index: int, raw: JsonValue) -> Offer:
    """One entry of a list."""
    findings: list[Finding] = []
    if isinstance(raw, Flawed):
        findings.append(error("duplicate-key", raw.flaw, "$"))
    if not isinstance(raw, dict):
        findings.append(error("malformed-offer", "this entry is not an object", "$"))
    entry: dict[str, JsonValue] = dict(raw) if isinstance(raw, dict) else {}
    texts = _Texts(entry, findings)
    name, title = texts.get("name", is_needed=True), texts.get("title")
    description = texts.get("description")
    findings += addressing_findings(raw)
    icons = read_icons(entry.get("icons"), findings)
    match kind:
        case OfferKind.RESOURCE:
            uri, mime = texts.get("uri", is_needed=True), texts.get("mimeType")
            if uri and not _SCHEME.match(uri):
                words = "the URI has no scheme"
                findings.append(warning("uri-without-scheme", words, "$.uri"))
            size = entry.get("size")
            words, is_size = size_words(size)
            if not is_size:
                findings.append(warning("malformed-offer", f"claims {words}", "$.size"))
            said = read_annotations(entry, "$", findings)
            return Resource(
                index=index,
                raw=raw,
                name=name,
                title=title,
                description=description,
                icons=icons,
                uri=uri,
                mime=mime,
                size=size,
                annotations=said,
                findings=tuple(findings),
            )
        case OfferKind.TEMPLATE:
            text, mime = texts.get("uriTemplate", is_needed=True), texts.get("mimeType")
            template = _template(text, findings)
            said = read_annotations(entry, "$", findings)
            return ResourceTemplate(
                index=index,
                raw=raw,
                name=name,
                title=title,
                description=description,
                icons=icons,
                uri_template=text,
                mime=mime,
                annotations=said,
                template=template,
                findings=tuple(findings),
            )
        case OfferKind.PROMPT:
            arguments = _arguments(entry.get("arguments"), findings)
            return Prompt(
                index=index,
                raw=raw,
                name=name,
                title=title,
                description=description,
                icons=icons,
                arguments=arguments,
                findings=tuple(findings),
            )


def matching(offers: Sequence[Offer], words: str) -> tuple[Offer, ...]:
    """Return offers that have every word somewhere in their texts."""
    wanted = words.casefold().split()
    return tuple(one for one in offers if all(word in one.search_text for word in wanted))


class _Texts:
    """The strings of an entry; one of another type, or a missing required one, is a finding."""

    def __init__(self, entry: dict[str, JsonValue], findings: list[Finding]) -> None:
        self._entry = entry
        self._findings = findings

    def get(self, key: str, *, is_needed: bool = False) -> str:
        value, path = self._entry.get(key), f"$.{key}"
        if isinstance(value, str):
            if marks := hidden(value):
                words = "has " + ", ".join(marks)
                self._findings.append(warning("hidden-characters", words, path))
            if value or not is_needed:
                return value
        if value is not None and not isinstance(value, str):
            self._findings.append(warning("malformed-offer", f"{key} is not a string", path))
        elif is_needed and self._entry:
            self._findings.append(error("malformed-offer", f"{key} is missing", path))
        return ""


def _template(text: str, findings: list[Finding]) -> UriTemplate | None:
    if not text:
        return None
    try:
        return read_template(text)
    except MalformedTemplate as problem:
        words = f"not a valid URI template (RFC 6570): {problem}"
        findings.append(error("malformed-template", words, "$.uriTemplate"))
        return None


def _arguments(raw: JsonValue, findings: list[Finding]) -> tuple[PromptArgument, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list):
        findings.append(warning("malformed-offer", "arguments is not an array", "$.arguments"))
        return ()
    if len(raw) > ARGUMENTS_MAX:
        words = f"has {len(raw):,} arguments; the first {ARGUMENTS_MAX} are kept"
        findings.append(warning("malformed-offer", words, "$.arguments"))
    found: dict[str, PromptArgument] = {}
    for index, one in enumerate(raw[:ARGUMENTS_MAX]):
        argument = _argument(one, f"$.arguments[{index}]", findings)
        if argument is not None and argument.name in found:
            path = f"$.arguments[{index}].name"
            findings.append(warning("malformed-offer", "an argument is defined twice", path))
        elif argument is not None:
            found[argument.name] = argument
    return tuple(found.values())


def _argument(raw: JsonValue, path: str, findings: list[Finding]) -> PromptArgument | None:
    name = raw.get("name") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(name, str) or not name:
        findings.append(error("malformed-offer", "an argument has no name", path))
        return None
    required = raw.get("required")
    if required is not None and not isinstance(required, bool):
        where = f"{path}.required"
        findings.append(warning("malformed-offer", "required is not true or false", where))
    title, description = raw.get("title"), raw.get("description")
    return PromptArgument(
        name,
        title if isinstance(title, str) else "",
        description if isinstance(description, str) else "",
        required is True,
    )


def _twice(kind: OfferKind, times: int) -> Finding:
    words = f"{times} {kind.plural} have this name or address, so they cannot be distinguished"
    return warning("duplicate-offer", words)


COMPLETE: Final = "completion/complete"
VALUES_MAX: Final = 100
VALUE_MAX: Final = 2_000
"""Characters of one value; the rest is left out."""
_CONTEXT_SINCE: Final = "2025-06-18"


@frozen
class Completion:
    """Suggestions. The values are raw, and are put into the field unchanged."""

    values: tuple[str, ...] = ()
    total: int | None = None
    has_more: bool = False
    is_odd: bool = False
    """Whether something in it was not as the protocol has it."""

    @property
    def rest_words(self) -> str:
        """Count further suggestions; empty if these are all."""
        shown = len(self.values)
        if self.total is not None and self.total > shown:
            return f"{self.total - shown:,} more of {count(self.total, 'value')}"
        return "there are more" if self.has_more else ""


def completion_params(
    offer: Prompt | ResourceTemplate,
    argument: str,
    begun: str,
    others: Mapping[str, str],
    version: str,
) -> dict[str, JsonValue]:
    """Build the params to complete a value that begins so; `others` are already filled in."""
    ref: dict[str, JsonValue] = {"type": "ref/prompt", "name": offer.name}
    if isinstance(offer, ResourceTemplate):
        ref = {"type": "ref/resource", "uri": offer.uri_template}
    params: dict[str, JsonValue] = {"ref": ref, "argument": {"name": argument, "value": begun}}
    filled: dict[str, JsonValue] = {key: one for key, one in others.items() if key != argument}
    if filled and version >= _CONTEXT_SINCE:
        params["context"] = {"arguments": filled}
    return params


def read_completion(result: JsonValue) -> Completion:
    """Read the suggestions of a raw result; malformed ones are left out."""
    found = result.get("completion") if isinstance(result, dict) else None
    values = found.get("values") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(values, list):
        return Completion(is_odd=True)
    texts = [one for one in values if isinstance(one, str) and len(one) <= VALUE_MAX]
    total, has_more = found.get("total"), found.get("hasMore")
    is_count = isinstance(total, int) and not isinstance(total, bool) and total >= 0
    return Completion(
        tuple(dict.fromkeys(texts[:VALUES_MAX])),
        total if isinstance(total, int) and is_count else None,
        has_more is True or len(texts) > VALUES_MAX,
        is_odd=len(texts) < len(values) or (total is not None and not is_count),
    )


_IN_THE_PATH = ("", "+")
"""Operators whose variables leave a hole where they are missing."""


def schema_of_template(template: UriTemplate) -> JsonValue:
    """The variables of a template: strings, and lists of them where a `*` takes them apart."""
    needed = {
        variable.name
        for expression in template.expressions
        if expression.operator in _IN_THE_PATH
        for variable in expression.variables
    }
    properties: dict[str, JsonValue] = {}
    for one in template.variables:
        text: dict[str, JsonValue] = {"type": "string"}
        properties[one.name] = {"type": "array", "items": text} if one.is_exploded else text
    return _object(properties, [one.name for one in template.variables if one.name in needed])


def schema_of_prompt(prompt: Prompt) -> JsonValue:
    """The arguments of a prompt, each a string (spec, server/prompts, "Getting a Prompt")."""
    properties: dict[str, JsonValue] = {}
    for one in prompt.arguments:
        about: dict[str, JsonValue] = {"type": "string"}
        if one.title:
            about["title"] = one.title
        if one.description:
            about["description"] = one.description
        properties[one.name] = about
    return _object(properties, [one.name for one in prompt.arguments if one.is_required])


def _object(properties: dict[str, JsonValue], required: list[str]) -> JsonValue:
    needed: list[JsonValue] = list(required)
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def faults_of(prompt: Prompt, given: dict[str, str]) -> list[str]:
    """Each way in which arguments are not those of the prompt, as an indented line."""
    known = {one.name for one in prompt.arguments}
    missing = [one.name for one in prompt.arguments if one.is_required and one.name not in given]
    unknown = [name for name in given if name not in known]
    faults = [f"  “{visible(name)}” is missing" for name in missing]
    faults += [
        f"  the prompt has no argument “{visible(cut(name, 60).text)}”"
        f"{did_you_mean(name, sorted(known), 1)}"
        for name in unknown
    ]
    return faults
