"""What the confirmation dialog calls things, whether it asks about a call or about an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from signoff.app.core.approvals.questions import AboutAnswer, AboutCall, AboutRead, Question


@dataclass(frozen=True, slots=True)
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
    keys: tuple[str, ...]


ABOUT_A_CALL = DialogWords(
    title=("Approve this call?", "Approve?"),
    denies="denies",
    deny="Deny",
    approve="Approve once",
    remembering="Approve + remember",
    shortest="Approve",
    does="approves",
    doing="approving",
    unseen=("Approve waits until the end has been seen", "not all seen yet", "not seen"),
    void="Nothing was sent. Close this, and review the call again.",
    keys=(
        "Esc denies · Tab moves · PgDn scrolls · v shows all that is said · ctrl+y twice approves",
        "Esc denies · Tab moves · v in full · ctrl+y twice approves",
        "Esc denies · Tab moves · ctrl+y twice approves",
        "Esc denies · Tab moves",
    ),
)
ABOUT_A_READ = replace(
    ABOUT_A_CALL,
    title=("Read this resource?", "Read it?"),
    keys=(
        "Esc denies · Tab moves · PgDn scrolls · ctrl+y twice approves",
        "Esc denies · Tab moves · ctrl+y twice approves",
        "Esc denies · Tab moves",
    ),
)
CHANGED_KEYS = (
    "Esc denies · Tab moves · PgDn scrolls · v shows all that is said",
    "Esc denies · Tab moves · v in full",
    "Esc denies · Tab moves",
)
ABOUT_AN_ANSWER = DialogWords(
    title=("Use this answer?", "Use it?"),
    denies="withholds",
    deny="Withhold",
    approve="Use this answer",
    remembering="",
    shortest="Use",
    does="uses it",
    doing="using it",
    unseen=("Using it waits until the end has been seen", "not all seen yet", "not seen"),
    void="The answer is withheld. Close this, and look at the call again.",
    keys=(
        "Esc withholds · Tab moves · PgDn scrolls · ctrl+y twice uses it",
        "Esc withholds · Tab moves · ctrl+y twice uses it",
        "Esc withholds · Tab moves",
    ),
)


def in_full(keys: str) -> str:
    """The keys where `v` has been pressed: it leads back."""
    return keys.replace("v shows all that is said", "v shows less").replace(
        "v in full", "v in short"
    )


def words_for(question: Question) -> DialogWords:
    match question:
        case AboutCall():
            return ABOUT_A_CALL
        case AboutRead():
            return ABOUT_A_READ
        case AboutAnswer():
            return ABOUT_AN_ANSWER
