"""The README keeps its promises: its commands are the ones that CI runs, its keys the real ones."""

from __future__ import annotations

import re
from pathlib import Path

from signoff.app.presentation.exit_status import ExitStatus
from tests.cli.running import run
from tests.manual import page
from tests.readme_keys import answer_table, key_table

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 150
"""Of a README that is read to its end."""


def commands() -> list[str]:
    """The lines of the README's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_ci_runs_the_test_command_of_the_readme_word_for_word() -> None:
    tests = [line for line in commands() if line.endswith(".venv/bin/pytest")]
    assert len(tests) == 1
    told = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = [line.strip() for line in told.splitlines()]
    assert tests[0] in lines
    assert lines.index("pytest -m slow || again -m slow") > lines.index(tests[0])


def test_one_command_sets_up_and_starts_the_demo() -> None:
    assert any(
        "venv" in line and "install" in line and line.endswith("signoff demo")
        for line in commands()
    )


def test_pictures_that_the_readme_shows_exist() -> None:
    shown = re.findall(r"\]\((screenshots/[^)]+)\)", README)
    assert shown
    assert [path for path in shown if not (ROOT / path).is_file()] == []


def test_the_readme_is_short_and_leads_to_the_manual() -> None:
    assert len(README.splitlines()) < MOST_LINES
    assert "(app/manual/index.md)" in README


def test_the_tables_of_keys_are_those_that_the_bindings_make() -> None:
    assert key_table() in page("reference/keys")
    assert answer_table() in page("reference/keys")


def test_every_exit_status_is_told() -> None:
    table = page("reference/exit-statuses").partition("| exit status |")[2].partition("\n\n")[0]
    numbers = "".join(re.findall(r"^\|[^|]*\|", table, re.MULTILINE))
    told = {int(one) for one in re.findall(r"\d+", numbers)}
    assert {int(one) for one in ExitStatus} == told


def test_the_guide_to_the_house_names_what_is_there() -> None:
    app = ROOT / "app"
    guide = (app / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\.\./)?[a-z_]+(?:/[a-z_]+)*(?:/|\.py))`", guide))
    named |= set(re.findall(r"`(tests/[a-z_/]+(?:\.py)?)`", guide))
    assert len(named) > 40
    missing = [one for one in named if not (app / one).exists() and not (ROOT / one).exists()]
    assert missing == []


def test_every_package_of_the_house_is_in_the_guide() -> None:
    guide = (ROOT / "app" / "README.md").read_text(encoding="utf-8")
    for place in (ROOT / "app").iterdir():
        if (place / "__init__.py").is_file():
            assert f"`{place.name}/`" in guide, place


def test_contributors_run_what_ci_runs() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert next(line for line in commands() if line.endswith(".venv/bin/pytest")) in told


def test_the_output_of_lint_in_the_readme_is_what_it_prints(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```\n\$ signoff lint demo\n(.*?)```", README, flags=re.DOTALL)
    printed = run(tmp_path, "lint", "demo").stdout.splitlines()
    # An ellipsis stands for the findings that are left out.
    assert [line for line in shown.splitlines() if line not in (*printed, "...")] == []
