"""Words of the approval dialog, for calls and for results."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ....widgets.key_bar import BarKey
from ...approval.questions.questions import ByQuestion
from ...content.frozen import frozen


@frozen
class DialogWords:
    """Of several wordings the longest comes first."""

    title: tuple[str, str]
    denies: str
    """What Esc and the time limit do."""
    deny: str
    approve: str
    remembering: str
    """The label of Approve when the approval will be remembered."""
    shortest: str
    does: str
    """What pressing Approve does, for the chord's second press."""
    doing: str
    unseen: tuple[str, ...]
    """Why Approve waits while the end has not been seen."""
    void: str
    keys: tuple[BarKey, ...]
    deny_session: tuple[str, str, str] = (
        "Deny for this session",
        "Deny for session",
        "Deny session",
    )
    denied: tuple[str, ...] = (
        "denies every call of this tool in this session",
        "denies the tool",
    )
    """What the denial for the session covers, shown while its button has the focus."""
    edit: str = "Edit"
    unready: tuple[str, ...] = ()
    """Why there is nothing to approve yet."""


CHORD = "ctrl+y, pause, ctrl+y"
"""Keys that approve without moving: the second press counts only after a moment."""

ONE_PRESS: Final = "ctrl+y"
"""The same for a harmless call: one press, which counts after a moment."""

FOR_SESSION: Final = "Approve for session"
"""The label of Approve if the policy then runs later calls of the tool."""
IN_FULL: Final = "approval.in_full"
"""The row of the key that shows everything, or the short form again."""


def _keys(leaves: str, does: str, *others: BarKey) -> tuple[BarKey, ...]:
    """The keys of a question: `esc` leaves, the chord does it; `others` in between."""
    return (
        BarKey("approval.deny", leaves),
        BarKey("approval.next", "Move", 1),
        *others,
        BarKey(CHORD, does, 2),
    )


_SCROLL: Final = BarKey("PgDn", "Scroll", 4)
_DETAILS: Final = BarKey(IN_FULL, "Details", 3)

ABOUT_A_CALL = DialogWords(
    title=("Approve this call?", "Approve?"),
    denies="denies",
    deny="Deny",
    approve="Approve once",
    remembering="Approve + remember",
    shortest="Approve",
    does="approve",
    doing="approving",
    unseen=("scroll to the end to enable Approve", "scroll to the end", "scroll down"),
    void="Nothing was sent. Close this, and review the call again.",
    keys=_keys("Deny", "Approve", _SCROLL, _DETAILS),
)
ABOUT_A_READ = replace(
    ABOUT_A_CALL,
    title=("Read this resource?", "Read it?"),
    denied=("denies every read of a resource in this session", "denies every read"),
    keys=_keys("Deny", "Approve", _SCROLL),
)
ABOUT_A_PROMPT = replace(
    ABOUT_A_READ,
    title=("Ask for this prompt?", "Ask for it?"),
    denied=("denies every prompt in this session", "denies every prompt"),
)
ABOUT_AN_ANSWER = DialogWords(
    title=("Use this response?", "Use it?"),
    denies="withholds",
    deny="Withhold",
    approve="Use this response",
    remembering="",
    shortest="Use",
    does="use it",
    doing="using it",
    unseen=("scroll to the end to enable Use", "scroll to the end", "scroll down"),
    void="The response is withheld. Close this, and look at the call again.",
    keys=_keys("Withhold", "Use it", _SCROLL),
)


_CHANGE: Final = BarKey("approval.edit", "Change", 1)

ABOUT_AN_ELICITATION = DialogWords(
    title=("The server asks you for data", "Data for the server?"),
    denies="cancels",
    deny="Decline",
    approve="Send this reply",
    remembering="",
    shortest="Send",
    does="send it",
    doing="sending it",
    unseen=("scroll to the end to enable Send", "scroll to the end", "scroll down"),
    void="Nothing was sent. Close this.",
    keys=_keys("Cancel", "Send", _CHANGE, BarKey(IN_FULL, "Exact JSON", 3)),
    deny_session=("Decline all for this session", "Decline for session", "Session"),
    denied=("declines all requests for data", "declines all of them"),
    edit="Change",
    unready=("nothing can be sent yet", "not ready"),
)
ABOUT_A_VISIT = replace(
    ABOUT_AN_ELICITATION,
    title=("The server asks you to open a page", "Open a page?"),
    approve="Open in the browser",
    shortest="Open",
    does="open it",
    doing="opening it",
    unseen=("scroll to the end to enable Open", "scroll to the end", "scroll down"),
    keys=_keys("Cancel", "Open", _SCROLL),
    unready=("this page cannot be opened", "cannot be opened"),
)
ABOUT_A_SAMPLING = replace(
    ABOUT_AN_ELICITATION,
    title=("The server wants a model to answer", "Answer as a model?"),
    denied=("declines all requests for a model", "declines all of them"),
    edit="Write",
    keys=_keys("Cancel", "Send", BarKey("approval.edit", "Write", 1), _SCROLL, _DETAILS),
)


ABOUT_A_SIGN_IN = replace(
    ABOUT_A_VISIT,
    title=("Sign in at this server?", "Sign in?"),
    denies="closes",
    deny="Do not sign in",
    approve="Open the page",
    void="Nothing was opened. Close this.",
    keys=_keys("Not now", "Open it", _SCROLL),
)


FILLING_KEYS: Final = (
    BarKey("approval.deny", "Cancel"),
    BarKey("approval.next", "Next field", 1),
    BarKey("approval.review", "Done, then send"),
    BarKey("form.json", "JSON", 2),
    BarKey("approval.file", "File", 2),
)
"""While a form is filled in, which sends nothing."""

VOID_KEYS: Final = (BarKey("approval.deny", "Close"),)
"""While nothing is possible but to close it."""

REMEMBER_KEYS: Final = (
    BarKey("approval.deny", "Deny"),
    BarKey("← →", "Choose what to remember", 1),
    BarKey("approval.next", "Move on", 1),
)
"""While the row of what to remember has the focus."""

_FULL: Final = {"Details": "Short form", "Exact JSON": "Form"}


def in_full(key: BarKey) -> BarKey:
    """The key where `v` has been pressed: it leads back."""
    return replace(key, verb=_FULL[key.verb]) if key.id == IN_FULL else key


DIALOG_WORDS = ByQuestion(
    call=ABOUT_A_CALL,
    read=ABOUT_A_READ,
    prompt=ABOUT_A_PROMPT,
    answer=ABOUT_AN_ANSWER,
    elicitation=ABOUT_AN_ELICITATION,
    visit=ABOUT_A_VISIT,
    sampling=ABOUT_A_SAMPLING,
    sign_in=ABOUT_A_SIGN_IN,
)
