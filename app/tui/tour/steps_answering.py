"""The second half of the tour: what comes back, and what happens twice."""

from __future__ import annotations

from typing import Final

from . import quizzes
from .scene import (
    answered,
    cancelled,
    opened,
    runs,
    same_key_twice,
    turned_page,
)
from .step import Move, Part, Step

_KEY: Final = "idempotencyKey"
_MESSAGE: Final = {"channel": "#general", "text": "Lunch?", _KEY: "lunch-1"}

ANSWERING: Final = (
    Step(
        "structured",
        "A promise about the answer",
        "Besides text for people a tool can return data for programs, and promise its shape in an "
        "output schema. Signoff holds every answer against that promise.",
        ("generate_fantasy_character",),
        quizzes.host_does(
            "unattended-loop", "generate_fantasy_character", "an agent that runs unattended"
        ),
        (
            Part(
                "f3, type generate_fantasy, enter, f5, and approve it. Look for ✓ in the answer.",
                answered("generate_fantasy_character"),
                "Tab to “Approve once”, wait a second, enter.",
                (Move("generate_fantasy_character", {}, "approve"),),
            ),
        ),
        "✓ means that each field is there, and of the kind that was promised.",
    ),
    Step(
        "broken",
        "A broken promise",
        "Nothing forces a server to keep its promise. A program that reads a list where a text "
        "stands fails, or worse, goes on with nonsense.",
        ("generate_fantasy_character_broken",),
        quizzes.keeps_schema("generate_fantasy_character_broken"),
        (
            Part(
                "f3, type _broken, enter, f5, and approve it. Find the lines marked ✗ in the "
                "answer.",
                answered("generate_fantasy_character_broken"),
                "f6, twice from the form, goes to the answer; there e goes to the next error.",
                (Move("generate_fantasy_character_broken", {}, "approve"),),
            ),
        ),
        "It looks fine as text. Only the check tells; signoff call then exits with 4.",
    ),
    Step(
        "progress",
        "Half way, and stop",
        "Some calls take long. They can report how far they are, and you can ask them to stop. "
        "Stopping is a request: it takes nothing back.",
        ("migrate_database",),
        quizzes.after_cancelling("migrate_database"),
        (
            Part(
                "f3, type migrate_database, enter, f5, approve it, and watch the bar.",
                runs("migrate_database"),
                "Tab to “Approve once”, wait a second, enter. Do not tick dryRun.",
                (Move("migrate_database", {}, "run"),),
            ),
            Part(
                "While it runs: ctrl+x.",
                cancelled("migrate_database"),
                "Was it too fast? Call it once more, approve, and press ctrl+x at once.",
                ("ctrl+x",),
            ),
        ),
        "After a cancel, look before you repeat: some of the work is done.",
    ),
    Step(
        "pages",
        "Page by page",
        "A long list comes in pages. The answer carries a cursor, a word that only the server "
        "understands; sent back, it brings the next page.",
        ("github_list_repositories",),
        quizzes.host_does("cursor", "github_list_repositories", "Cursor"),
        (
            Part(
                "f3, type github_list, enter, type acme as org, f5.",
                answered("github_list_repositories"),
                "It only reads, so it runs unasked on a trusted server.",
                (Move("github_list_repositories", {"org": "acme"}),),
            ),
            Part(
                "Go to the answer (f6, twice from the form) and press > for the next page.",
                turned_page("github_list_repositories"),
                "> works on the answer. Where it asks into which parameter the cursor goes: enter.",
                ("f6", ">", "enter?"),
            ),
        ),
        "Every page is a call of its own: judged, logged and, where it must be, asked about.",
    ),
    Step(
        "twice",
        "Once is not twice",
        "Answers get lost. Then nobody knows whether the call did its work, and whoever repeats it "
        "blindly may do it twice. idempotentHint tells whether that matters.",
        ("increment_counter",),
        quizzes.may_repeat("increment_counter"),
        (
            Part(
                "f3, type increment_counter, enter, type visits, f5, approve. Then f5 and approve "
                "once more.",
                answered("increment_counter", times=2),
                "Two calls are needed; after the first one f5 is enough.",
                (
                    Move("increment_counter", {"id": "visits"}, "approve"),
                    Move("increment_counter", {"id": "visits"}, "approve"),
                ),
            ),
        ),
        "The counter counted both. Signoff repeats a lost call only where that is harmless.",
    ),
    Step(
        "keys",
        "A key against doubles",
        "What must not happen twice can carry a key: the server remembers it, and answers a second "
        "call with the same key instead of doing it again.",
        ("slack_send_message",),
        quizzes.key_protects("slack_send_message", _KEY),
        (
            Part(
                "f3, type slack, enter. Type #general, tab, Lunch?, tab, and lunch-1 as "
                "idempotencyKey. f5, approve. Then f5 and approve again.",
                same_key_twice("slack_send_message", _KEY),
                "The key has to be the same both times. ctrl+g would make a fresh one.",
                (
                    Move("slack_send_message", _MESSAGE, "approve"),
                    Move("slack_send_message", _MESSAGE, "approve"),
                ),
            ),
        ),
        "A key of your own makes a retry harmless, even where the tool is not idempotent.",
    ),
    Step(
        "deprecated",
        "A tool on its way out",
        "The protocol has no word for a tool that will be removed. Descriptions say it, and a "
        "person or a model has to read them.",
        ("search", "github_search_repos"),
        quizzes.successor_of("search", ("search_files", "github_search_repos", "web_search")),
        (
            Part(
                "f3, type search. Read what search says about itself, in its pane (f4: all of it). "
                "Then enter, type anvil, f5.",
                answered("search"),
                "Choose the tool that is called exactly search.",
                (Move("search", {"q": "anvil"}),),
            ),
            Part(
                "Now call the tool that it names instead: alt+s on search, or f3, "
                "github_search_repos, enter. Type anvil, f5.",
                answered("github_search_repos"),
                "Where it asks: tab to “Approve once”, wait, enter. It carries no hints.",
                (Move("github_search_repos", {"query": "anvil"}, "approve"),),
            ),
        ),
        "The old name still works, today. Whoever tests looks for [DEPRECATED] in the list.",
    ),
    Step(
        "hosts",
        "The same tool elsewhere",
        "The same hints lead to different questions in different programs. Who writes a server "
        "wants to know all of them before its users do.",
        ("read_settings",),
        quizzes.hosts_agree("read_settings"),
        (
            Part(
                "Press f2: every tool, under every policy and, further right, in every host that "
                "Signoff knows. Move about with the arrows. esc closes it.",
                opened("MatrixScreen"),
                "f2 works everywhere but in a question.",
                ("f2", "escape"),
            ),
        ),
        "ctrl+o lives by the rules of any of these hosts. ctrl+l is the log of all that you did.",
    ),
)
