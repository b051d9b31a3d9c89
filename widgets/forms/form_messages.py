"""What an argument form has to say; each is found under its name in `ArgumentForm`."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ...app.content.json.jsonio import JsonValue
from ...app.schemas.form.entries import Origin
from ...app.schemas.form.fields import Place


class _OfForm(Message):
    def __init__(self, form: Widget) -> None:
        super().__init__()
        self.form = form

    @property
    def control(self) -> Widget:
        return self.form


class _OfArguments(_OfForm):
    def __init__(
        self,
        form: Widget,
        arguments: dict[str, JsonValue],
        origins: dict[str, Origin],
        problems: dict[Place, str],
    ) -> None:
        super().__init__(form)
        self.arguments = arguments
        self.origins = origins
        self.problems = problems


class Changed(_OfArguments, namespace="argument_form"):
    """The arguments changed, and nothing was edited for a moment since."""


class Submitted(_OfArguments, namespace="argument_form"):
    """The person asks for a call with these arguments.

    With `although_invalid` they were told what is wrong, or did not want to know.
    """

    def __init__(
        self,
        form: Widget,
        arguments: dict[str, JsonValue],
        origins: dict[str, Origin],
        *,
        although_invalid: bool = False,
    ) -> None:
        super().__init__(form, arguments, origins, {})
        self.although_invalid = although_invalid


class EditorWanted(_OfForm, namespace="argument_form"):
    """All arguments, as the JSON document `text`, are to be edited outside.

    Give the outcome to `put_document`.
    """

    def __init__(self, form: Widget, text: str) -> None:
        super().__init__(form)
        self.text = text


class Alerted(_OfForm, namespace="argument_form"):
    """Something else, or nothing any more, is to be said wherever in the form one looks."""

    def __init__(self, form: Widget, words: Content) -> None:
        super().__init__(form)
        self.words = words


class HistoryWanted(_OfForm, namespace="argument_form"):
    """Earlier arguments and presets are to be shown."""
