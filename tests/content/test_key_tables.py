"""The tables of keys: rows as they are read, and mistakes with file and line."""

from __future__ import annotations

import pytest

from signoff.app.content.key_tables import BadKeyTable, KeyRow, Mark, key_sections, read_table

ROW = "close  q,f4  dismiss  Close  footer,first  Go back."


def test_a_row_has_the_id_of_its_section_and_the_marks_as_written() -> None:
    other = "list.up  k  up  -  -  -  it is long  Too short."
    text = f"# words\n\n[pager]\n{ROW}\n[pager: part]\n{other}\n"
    found = read_table(text, "keys.txt", "lint")
    marks: dict[str, str] = {Mark.FOOTER: "", Mark.FIRST: ""}
    assert found == {
        "pager": [
            KeyRow("pager.close", "q,f4", "dismiss", "Close", marks, "Go back.", feature="lint")
        ],
        "pager: part": [
            KeyRow("list.up", "k", "up", "", {}, "", "it is long", "Too short.", "lint"),
        ],
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ROW, 1),
        ("[pager]\nclose  q  dismiss", 2),
        ("[pager]\nclose  q  dismiss  Close  bold  Go back.", 2),
        ("[pager]\nclose  -  dismiss  Close  -  Go back.", 2),
        ("[pager]\nclose  q  dismiss  Close  -  Go back.  a condition", 2),
        (f"[pager]\n{ROW}  a  b  c", 2),
        (f"[pager]\n{ROW}\n[pager]\n{ROW}", 3),
    ],
)
def test_a_mistake_is_named_with_file_and_line(text: str, line: int) -> None:
    with pytest.raises(BadKeyTable, match=f"^tui/keys.txt line {line}: "):
        read_table(text, "tui/keys.txt")


def test_a_section_that_several_features_add_to_has_the_rows_of_all() -> None:
    added = key_sections()["main: features"]
    assert len({row.feature for row in added}) > 3
    assert all(row.feature for row in added)
