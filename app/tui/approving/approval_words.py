"""Words of the approval dialog, for calls and for results."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...questions.questions import ByQuestion


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
    deny_session: tuple[str, str, str] = (
        "Deny for this session",
        "Deny this session",
        "Deny session",
    )
    edit: str = "Edit"
    unready: tuple[str, ...] = ()
    """Why there is nothing to approve yet."""


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
ABOUT_A_PROMPT = replace(ABOUT_A_READ, title=("Ask for this prompt?", "Ask for it?"))
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


ABOUT_AN_ELICITATION = DialogWords(
    title=("The server asks you for data", "Data for the server?"),
    denies="cancels",
    deny="Decline",
    approve="Send this answer",
    remembering="",
    shortest="Send",
    does="sends it",
    doing="sending it",
    unseen=("Sending waits until the end has been seen", "not all seen yet", "not seen"),
    void="Nothing was sent. Close this.",
    keys=(
        "Esc cancels · Tab moves · e fills in · PgDn scrolls · v all of it · ctrl+y twice sends",
        "Esc cancels · Tab moves · e fills in · ctrl+y twice sends",
        "Esc cancels · Tab moves · e fills in",
    ),
    deny_session=("Decline all, this session", "Decline all", "All"),
    edit="Fill in",
    unready=("e fills in what is missing; nothing can be sent yet", "e fills in", "e: fill in"),
)
ABOUT_A_VISIT = replace(
    ABOUT_AN_ELICITATION,
    title=("The server asks you to open a page", "Open a page?"),
    approve="Open in the browser",
    shortest="Open",
    does="opens it",
    doing="opening it",
    unseen=("Opening waits until the end has been seen", "not all seen yet", "not seen"),
    keys=(
        "Esc cancels · Tab moves · PgDn scrolls · ctrl+y twice opens it",
        "Esc cancels · Tab moves · ctrl+y twice opens it",
        "Esc cancels · Tab moves",
    ),
    unready=("this page cannot be opened", "cannot be opened"),
)
ABOUT_A_SAMPLING = replace(
    ABOUT_AN_ELICITATION,
    title=("The server wants a model to answer", "Answer as a model?"),
    edit="Write it",
    unready=("e writes the answer; there is none yet", "e writes it", "e: write"),
    keys=(
        "Esc cancels · Tab moves · e writes it · PgDn scrolls · v all of it · ctrl+y twice sends",
        "Esc cancels · Tab moves · e writes it · ctrl+y twice sends",
        "Esc cancels · Tab moves · e writes it",
    ),
)


def in_full(keys: str) -> str:
    """The keys where `v` has been pressed: it leads back."""
    return keys.replace("v shows all that is said", "v shows less").replace(
        "v in full", "v in short"
    )


def while_unready(keys: str) -> str:
    """The keys if there is nothing yet that the chord could send."""
    return keys.partition(" · ctrl+y twice")[0]


DIALOG_WORDS = ByQuestion(
    call=ABOUT_A_CALL,
    read=ABOUT_A_READ,
    prompt=ABOUT_A_PROMPT,
    answer=ABOUT_AN_ANSWER,
    elicitation=ABOUT_AN_ELICITATION,
    visit=ABOUT_A_VISIT,
    sampling=ABOUT_A_SAMPLING,
)
