"""The steps of the tour, in order.

First half: hints, their worth, and decisions. Second half: results and repetitions.
"""

from __future__ import annotations

from typing import Final

from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.server import Trust
from . import quizzes
from .course import Move, Part, Step
from .scene import (
    answered,
    approved,
    approved_after_edit,
    asked_untrusted,
    cancelled,
    decided,
    decided_after,
    denied,
    edited,
    opened,
    runs,
    same_key_twice,
    trust_is,
    turned_page,
)

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


_FILE: Final = {"path": "notes/todo.txt"}
_CONFETTI: Final = {"color": "gold", "location": "the office"}
_LEFT_BEHIND: Final = "read_settings-was-here.txt"

APPROVING: Final = (
    Step(
        "read-only",
        "A tool that only reads",
        "A server lists its tools, and may add up to four hints about what each one does. Programs "
        "such as Signoff, VS Code or Codex go by these hints when they decide whether to ask you. "
        "This tool claims to read only.",
        ("calculate_sum",),
        quizzes.signoff_does(
            "You call calculate_sum on this server. What will Signoff do? Guess.", "calculate_sum"
        ),
        (
            Part(
                "Press f3, type calculate_sum, enter. Type 2, tab, type 3. Then f5.",
                answered("calculate_sum"),
                "f3 goes to the filter from everywhere, enter to the form, f5 calls.",
                (Move("calculate_sum", {"a": 2, "b": 3}),),
            ),
        ),
        "A call that only reads, of a server that you trust, runs unasked - and is still listed "
        "under Calls, and logged.",
    ),
    Step(
        "deny",
        "The question, and No",
        "A tool that may destroy something is not run before a person has said yes. The question "
        "shows exactly what would be sent. Denying is the way out of everything: nothing is sent.",
        ("delete_file",),
        quizzes.host_does("codex", "delete_file", "Codex"),
        (
            Part(
                "f3, type delete_file, enter. Type notes/todo.txt, then f5. Read the question, "
                "then press esc: denied.",
                denied("delete_file"),
                "The question listens only after half a second without a key. Esc denies.",
                (Move("delete_file", _FILE, "deny"),),
            ),
        ),
        "Whoever hesitates, denies. Closing the window, a lost connection or a crash deny, too.",
    ),
    Step(
        "approve",
        "The question, and Yes",
        "An approval is for one call: this server, this tool, these arguments. Nothing that you "
        "type by accident counts, so the button wants a moment of stillness first.",
        ("delete_file",),
        quizzes.signoff_would(
            "You approve it. Then you call the same once more: what will Signoff do?",
            "delete_file",
        ),
        (
            Part(
                "f5 once more. In the question press tab until “Approve once” is marked, wait a "
                "second, press enter.",
                approved("delete_file"),
                "In the form of delete_file: f5. Or, in the question, ctrl+y, a pause, ctrl+y.",
                (Move("delete_file", _FILE, "approve"),),
            ),
        ),
        "One approval, one call. What is to be remembered for longer is chosen in the question, "
        "and f10 takes it back.",
    ),
    Step(
        "defaults",
        "When nothing is said",
        "Most tools in the world carry no hints at all. Then the specification assumes the worst, "
        "and so should whoever decides.",
        ("generate_fantasy_character",),
        quizzes.default_is("destructive"),
        (
            Part(
                "f3, type generate_fantasy, enter, f5. Look at the line “claims” in the question. "
                "Then deny or approve.",
                decided("generate_fantasy_character"),
                "Choose the tool of exactly this name; it needs no arguments.",
                (Move("generate_fantasy_character", {}, "deny"),),
            ),
        ),
        "Silence is not innocence: a tool without hints may write, destroy and reach the world.",
    ),
    Step(
        "liar",
        "Claims are not facts",
        "Nobody checks a hint: a server can claim what it likes. read_settings says that it only "
        "reads. It lies.",
        ("read_settings", "get_config_file"),
        quizzes.host_does("vscode", "read_settings", "VS Code"),
        (
            Part(
                "f3, type read_settings, enter, f5. It runs, by its word alone.",
                answered("read_settings"),
                "No question comes: this server is trusted, and the tool says that it reads only.",
                (Move("read_settings", {}),),
            ),
            Part(
                f"Now see what it wrote: f3, type get_config, enter, type {_LEFT_BEHIND}, f5.",
                answered("get_config_file"),
                f"get_config_file shows a file of the sandbox: {_LEFT_BEHIND} was not there before "
                "read_settings ran.",
                (Move("get_config_file", {"path": _LEFT_BEHIND}),),
            ),
        ),
        "It said readOnlyHint: true, and wrote a file. Annotations are claims of the server, and "
        "count only as far as you trust it.",
    ),
    Step(
        "trust",
        "Trust",
        "So trust is yours to give, one server at a time. A server that is not trusted keeps its "
        "hints on the screen, but they excuse nothing: everything asks.",
        ("read_settings",),
        quizzes.signoff_would(
            "Without trust: what will Signoff do with read_settings, which says it only reads?",
            "read_settings",
            Trust.UNTRUSTED,
        ),
        (
            Part(
                "Press ctrl+t: this server is not trusted any more. The top right corner says so.",
                trust_is(Trust.UNTRUSTED),
                "Is it untrusted already, then nothing is to be done here.",
                ("ctrl+t",),
            ),
            Part(
                "f3, type read_settings, enter, f5: now it asks. Press esc to deny.",
                asked_untrusted("read_settings"),
                "The question listens after half a second without a key.",
                (Move("read_settings", {}, "deny"),),
            ),
            Part(
                "ctrl+t again asks first. Read what would run unasked (end: the last line), press "
                "tab, wait a second, enter: trusted, for the rest of the tour.",
                trust_is(Trust.TRUSTED),
                "The button “Trust this server” takes enter once the end of the list was seen.",
                ("ctrl+t", "enter?"),
            ),
        ),
        "The bundled server is part of Signoff and starts trusted. Servers of others do not.",
    ),
    Step(
        "edit",
        "Change it before it is sent",
        "Often a call is nearly right. Then neither yes nor no is the answer: the question can "
        "hand the arguments back to the form.",
        ("launch_confetti",),
        quizzes.host_edits("vscode", "VS Code"),
        (
            Part(
                "f3, type launch_confetti, enter. Type gold, tab, the office, f5. In the question "
                "press tab until Edit is marked, wait a second, press enter.",
                edited("launch_confetti"),
                "color and location are needed. Edit is the third button.",
                (Move("launch_confetti", _CONFETTI, "edit"),),
            ),
            Part(
                "The form has it again. Change the color, f5, and approve what is shown now.",
                approved_after_edit("launch_confetti"),
                "It must be another value than before. Tab to “Approve once”, wait, enter.",
                (Move("launch_confetti", _CONFETTI | {"color": "silver"}, "approve"),),
            ),
        ),
        "What you edited is judged and asked about anew: what is sent is what was shown last.",
    ),
    Step(
        "changed",
        "The tool is not the one you approved",
        "A server can change a tool after you have got used to it: another description, other "
        "hints. A text that a model will read can hide an order to it.",
        ("shape_shifter", "change_definition"),
        quizzes.signoff_would(
            "You approved shape_shifter. Its description changes. The next call: what happens?",
            "shape_shifter",
            seen=DefinitionStatus.CHANGED,
        ),
        (
            Part(
                "f3, type shape_shifter, enter, f5, and approve it.",
                approved("shape_shifter"),
                "Its argument is filled in. Tab to “Approve once”, wait, enter.",
                (Move("shape_shifter", {"note": "hello"}, "approve"),),
            ),
            Part(
                "f3, type change_definition, enter, f5, approve. It rewrites shape_shifter.",
                answered("change_definition"),
                "Leave the change at “reword”.",
                (Move("change_definition", {"change": "reword"}, "approve"),),
            ),
            Part(
                "f3, type shape_shifter, enter, f5. Read what changed, in the question. Then esc.",
                decided_after("shape_shifter", "change_definition"),
                "The lines with + are new. PgDn scrolls. Esc denies.",
                (Move("shape_shifter", {"note": "hello"}, "deny"),),
            ),
        ),
        "What was approved is bound to the definition, letter by letter. D shows every change.",
    ),
)


STEPS: Final[tuple[Step, ...]] = (*APPROVING, *ANSWERING)
