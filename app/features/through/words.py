"""The comparison of a server with itself behind a gateway: lines, JSON and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ...content.text import count, shortened, visible
from ...content.texts.sheet_line import SheetLine
from ...presentation.junit import Ending, TestCase, TestSuite
from .gateway import ComparedPart, Difference, Fate, GatewayComparison, HostChange, names_words

_FATES: Final = (Fate.SAME, Fate.CHANGED, Fate.LOST, Fate.ADDED)
_PART: Final = max(len(part) for part in ComparedPart) + 2
_WORDS_SHOWN: Final = 200


def comparison_lines(found: GatewayComparison) -> Iterator[SheetLine]:
    """A table of all parts, then what was changed, lost or added in each."""
    head = "".join(f"{fate.value:>14}" for fate in _FATES)
    yield SheetLine(((f"{'':<{_PART}}{head}", "dim"),))
    for part in ComparedPart:
        numbers = [len(found.of(part, fate)) for fate in _FATES]
        if any(numbers):
            cells = "".join(f"{number or '-':>14}" for number in numbers)
            bad = part.decides and bool(numbers[1] or numbers[2])
            yield SheetLine(
                ((f"{part.value:<{_PART}}", "strong"), (cells, "warning" if bad else ""))
            )
    for part in ComparedPart:
        for fate in (Fate.LOST, Fate.CHANGED, Fate.ADDED):
            grouped = _by_words(found.of(part, fate))
            if grouped:
                yield SheetLine()
                role = "warning" if part.decides and fate is not Fate.ADDED else "strong"
                yield SheetLine(((f"{part.value}: {fate.value}", role),))
            for words, names in grouped.items():
                about = names_words(names) if any(names) else ""
                text = ": ".join(one for one in (about, words) if one) or "the whole text"
                yield SheetLine(((f"  {text}", ""),))
    if found.denied:
        yield SheetLine()
        yield SheetLine(((f"listed, and denied by {visible(found.policy)}", "warning"),))
        yield SheetLine(((f"  {names_words(found.denied)}", ""),))
    if found.varying:
        yield SheetLine()
        yield SheetLine((("calls: results that vary", "strong"),))
        for words, names in _by_words(found.varying).items():
            yield SheetLine(((f"  {names_words(names)}: {words}", ""),))
    if found.not_compared:
        yield SheetLine()
        yield SheetLine((("not compared, since a list of tools is not whole", "warning"),))
        yield SheetLine(((f"  {names_words(found.not_compared)}", ""),))
    yield from _hidden_lines(found)
    yield from _host_lines(found.hosts)


def _by_words(differences: Sequence[Difference]) -> dict[str, list[str]]:
    """The names of the things of which the same is true."""
    grouped: dict[str, list[str]] = {}
    for one in differences:
        grouped.setdefault(shortened(one.words, _WORDS_SHOWN), []).append(one.about)
    return grouped


def _hidden_lines(found: GatewayComparison) -> Iterator[SheetLine]:
    for tool in found.executors if found.hidden else ():
        yield SheetLine()
        words = f"{count(len(found.hidden), 'tool')} may be behind {tool.display_name}"
        yield SheetLine(((words, "warning"),))
        text = f"  it is {tool.effect.value}, and its hints are for all of them: "
        yield SheetLine(((text + names_words(found.hidden), ""),))


def _host_lines(changes: Sequence[HostChange]) -> Iterator[SheetLine]:
    if not changes:
        return
    yield SheetLine()
    yield SheetLine((("hosts that decide otherwise behind the gateway", "warning"),))
    grouped: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    by_tool: dict[tuple[str, str, str], list[str]] = {}
    for one in changes:
        by_tool.setdefault((one.tool, one.directly, one.through), []).append(one.host)
    for (tool, before, after), hosts in by_tool.items():
        grouped.setdefault((before, after, tuple(hosts)), []).append(tool)
    for (before, after, titles), tools in grouped.items():
        where = names_words(titles)
        yield SheetLine(((f"  {names_words(tools)}: {before} → {after} in {where}", ""),))


def total_words(found: GatewayComparison) -> str:
    """The last line: what matters, in short."""
    lost, changed = (
        sum(one.fate is fate and one.matters for one in found.differences)
        for fate in (Fate.LOST, Fate.CHANGED)
    )
    what = "tools, hints and calls" if found.has_calls else "tools and hints"
    hint = "" if found.wants_calls else " (--tools)"
    without = "" if found.has_calls else f"; no call was compared{hint}"
    if varying := len({one.about for one in found.varying}):
        without += f"; the results of {count(varying, 'tool')} vary and were not compared"
    if found.is_cut:
        without += "; a list of tools is not whole"
    if found.is_cut and not lost and not changed:
        return f"none of the compared {what} was lost or changed{without}"
    if not lost and not changed and found.varying:
        return f"nothing else of {what} was lost or changed{without}"
    if not lost and not changed and found.wants_calls and not found.has_calls:
        return "no call was compared; the tools and hints came through"
    if not lost and not changed:
        return f"all {what} came through{without}"
    return f"of {what}, {lost} lost and {changed} changed{without}"


def comparison_json(found: GatewayComparison, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same by keys; `calls` are both sides of each call."""
    return {
        "parts": {
            part.value: {fate.value: len(found.of(part, fate)) for fate in _FATES}
            for part in ComparedPart
        },
        "differences": [
            {
                "part": one.part.value,
                "fate": one.fate.value,
                "about": visible(one.about) or None,
                "words": one.words or None,
                "matters": one.matters,
            }
            for one in found.differences
            if one.fate is not Fate.SAME or one in found.varying
        ],
        "hosts": [
            {
                "tool": visible(one.tool),
                "host": one.host,
                "directly": one.directly,
                "through": one.through,
            }
            for one in found.hosts
        ],
        "hidden": {
            "tools": [visible(one) for one in found.hidden],
            "behind": [visible(one.name) for one in found.executors] if found.hidden else [],
        },
        "not_compared": [visible(one) for one in found.not_compared],
        "denied": {
            "tools": [visible(one) for one in found.denied],
            "by": visible(found.policy) or None,
        },
        "calls": list(calls),
    }


def comparison_suite(found: GatewayComparison, server: str, *, is_strict: bool) -> TestSuite:
    """One test case for each thing that was lost, changed or added; it failed if it makes the
    command fail.

    What was not compared is skipped. If all came through, there is one case that passed.
    """
    cases = [_case(one, is_strict=is_strict) for one in found.differences if one.fate in _TOLD]
    cases += [
        TestCase("signoff.through.calls", one.about, words=f"varies: {one.words}")
        for one in found.varying
    ]
    why = "the list of tools is not whole"
    cases += [
        TestCase("signoff.through.tools", one, Ending.SKIPPED, message=why)
        for one in found.not_compared
    ]
    if found.wants_calls and not found.has_calls:
        words = "no call was compared"
        cases.append(TestCase("signoff.through.calls", "all calls", Ending.SKIPPED, message=words))
    if not cases:
        cases = [TestCase("signoff.through", "all parts", words=total_words(found))]
    return TestSuite(server, tuple(cases))


_TOLD: Final = (Fate.LOST, Fate.CHANGED, Fate.ADDED)


def _case(one: Difference, *, is_strict: bool) -> TestCase:
    is_failed = one.matters or (is_strict and one.fate is not Fate.ADDED)
    about = one.about or "the server"
    words = f"{one.fate.value}: {one.words}" if one.words else one.fate.value
    ending = Ending.FAILED if is_failed else Ending.PASSED
    classname = f"signoff.through.{one.part.value}"
    return TestCase(classname, about, ending, one.fate.value, f"{about}: {words}", words)
