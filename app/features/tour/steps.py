"""The steps of the tour, in order.

First half: hints, their worth, and decisions. Second half: results and repetitions.
"""

from __future__ import annotations

from typing import Final

from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.server import Trust
from . import quizzes
from .course import Move, StepPart, TourStep
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
    TourStep(
        "structured",
        "Output schemas",
        "Besides text, a tool can return data for programs and declare its shape in an output "
        "schema. Signoff validates every response against that schema.",
        ("generate_fantasy_character",),
        quizzes.keeps_schema("generate_fantasy_character"),
        (
            StepPart(
                "f3, type generate_fantasy, enter, f5, and approve. Look for ✓ in the response.",
                answered("generate_fantasy_character"),
                "Tab to “Approve once”, wait a second, enter.",
                (Move("generate_fantasy_character", {}, "approve"),),
            ),
        ),
        "✓ means: the data matches the tool's output schema.",
    ),
    TourStep(
        "broken",
        "An invalid response",
        "A server can return data that does not match its own schema. A program that expects a "
        "string and gets a list fails, or continues with wrong data.",
        ("generate_fantasy_character_broken",),
        quizzes.keeps_schema("generate_fantasy_character_broken"),
        (
            StepPart(
                "f3, type _broken, enter, f5, and approve. Find the lines marked ✗ in the "
                "response.",
                answered("generate_fantasy_character_broken"),
                "f6 goes to the response. With the focus on a part, f: next error.",
                (Move("generate_fantasy_character_broken", {}, "approve"),),
            ),
        ),
        "The text looks fine; only validation finds the errors. signoff call exits with 4.",
    ),
    TourStep(
        "progress",
        "Progress and cancelling",
        "Long calls can report progress, and you can cancel them. Cancelling is a request to stop: "
        "it undoes nothing.",
        ("migrate_database",),
        quizzes.after_cancelling("migrate_database"),
        (
            StepPart(
                "f3, type migrate_database, enter, f5, approve, and watch the bar.",
                runs("migrate_database"),
                "Tab to “Approve once”, wait a second, enter. Do not tick dryRun.",
                (Move("migrate_database", {}, "run"),),
            ),
            StepPart(
                "While it runs: ctrl+x.",
                cancelled("migrate_database"),
                "Too late? Call it again, approve, and press ctrl+x at once.",
                ("ctrl+x",),
            ),
        ),
        "After cancelling, check before you retry: part of the work may be done.",
    ),
    TourStep(
        "pages",
        "Pages and cursors",
        "A long list comes in pages. The response has a nextCursor; a client sends it back to "
        "get the next page. Only the server knows what the value means.",
        ("github_list_repositories",),
        quizzes.next_page_is("github_list_repositories"),
        (
            StepPart(
                "f3, type github_list, enter, type acme as org, f5.",
                answered("github_list_repositories"),
                "It is read-only, so it runs without asking on a trusted server.",
                (Move("github_list_repositories", {"org": "acme"}),),
            ),
            StepPart(
                "Go to the response (f6) and press > for the next page.",
                turned_page("github_list_repositories"),
                "> works in the response. If Signoff asks for the cursor's parameter: enter.",
                ("f6", ">", "enter?"),
            ),
        ),
        "Every page is a separate call, with its own verdict, approval and log record.",
    ),
    TourStep(
        "twice",
        "Retrying safely",
        "A response can get lost after the work was done. A retry may then do the work twice. "
        "idempotentHint: true means that a repeated call changes nothing more.",
        ("increment_counter",),
        quizzes.may_repeat("increment_counter"),
        (
            StepPart(
                "f3, type increment_counter, enter, type visits, f5, approve. Then f5 and approve "
                "again.",
                answered("increment_counter", times=2),
                "The step needs two calls; for the second one press f5.",
                (
                    Move("increment_counter", {"id": "visits"}, "approve"),
                    Move("increment_counter", {"id": "visits"}, "approve"),
                ),
            ),
        ),
        "The counter counted both. Signoff offers to retry a lost call only if that is harmless.",
    ),
    TourStep(
        "keys",
        "Idempotency keys",
        "A call that must not run twice can carry a key. The server remembers the key, and a "
        "second call with it does not repeat the work.",
        ("slack_send_message",),
        quizzes.key_protects("slack_send_message", _KEY),
        (
            StepPart(
                "f3, type slack, enter. Type #general, tab, Lunch?, tab, and lunch-1 as "
                "idempotencyKey. f5, approve. Then f5 and approve again.",
                same_key_twice("slack_send_message", _KEY),
                "Use the same key both times. (ctrl+g would make a new one.)",
                (
                    Move("slack_send_message", _MESSAGE, "approve"),
                    Move("slack_send_message", _MESSAGE, "approve"),
                ),
            ),
        ),
        "A key makes a retry harmless, even if the tool is not idempotent.",
    ),
    TourStep(
        "deprecated",
        "Deprecated tools",
        "The protocol has no flag for deprecated tools. Only the description can announce "
        "that a tool is deprecated, and a person or a model has to read it.",
        ("search", "github_search_repos"),
        quizzes.successor_of("search", ("search_files", "github_search_repos", "web_search")),
        (
            StepPart(
                "f3, type search, and read its description with f4. Then esc, enter, type anvil, "
                "f5.",
                answered("search"),
                "Select the tool with exactly the name search.",
                (Move("search", {"q": "anvil"}),),
            ),
            StepPart(
                "Now call its replacement: press alt+s on search, or f3, github_search_repos, "
                "enter. Type anvil, f5.",
                answered("github_search_repos"),
                "If it asks: tab to “Approve once”, wait, enter. The tool has no hints.",
                (Move("github_search_repos", {"query": "anvil"}, "approve"),),
            ),
        ),
        "The old name still works for now. In the list it has the mark depr.",
    ),
    TourStep(
        "asks",
        "A server that asks",
        "Some servers ask you before they act, in the middle of a call. The question does not "
        "show if something was done before your reply.",
        ("send_before_asking", "get_config_file"),
        quizzes.sent_anyway("send_before_asking", "get_config_file"),
        (
            StepPart(
                "f3, type send_before, enter. Type Ada, tab, Lunch?, f5, and approve. The server "
                "asks: close that dialog with esc.",
                approved("send_before_asking"),
                "The first dialog is about the call, the second one about the server's question.",
                (Move("send_before_asking", {"to": "Ada", "text": "Lunch?"}, "close"),),
            ),
            StepPart(
                "Look at its outbox: f3, type get_config, enter, type outbox.txt as path, f5.",
                answered("get_config_file"),
                "The file is in the demo's folder: outbox.txt.",
                (Move("get_config_file", {"path": "outbox.txt"}),),
            ),
        ),
        "signoff consent tests it: eight people, and what the server did after each reply.",
    ),
)


_FILE: Final = {"path": "notes/todo.txt"}
_CONFETTI: Final = {"color": "gold", "location": "the office"}
_LEFT_BEHIND: Final = "read_settings-was-here.txt"

APPROVING: Final = (
    TourStep(
        "read-only",
        "A tool that only reads",
        "A server can declare up to four hints for each tool. Signoff, VS Code, Codex and others "
        "use them to decide whether to ask you. This tool is declared read-only.",
        ("calculate_sum",),
        quizzes.signoff_does(
            "You call calculate_sum on this server. What will Signoff do?", "calculate_sum"
        ),
        (
            StepPart(
                "Press f3, type calculate_sum, enter. Type 2, tab, type 3. Then f5.",
                answered("calculate_sum"),
                "f3: filter, from everywhere. enter: form. f5: call.",
                (Move("calculate_sum", {"a": 2, "b": 3}),),
            ),
        ),
        "A read-only call on a trusted server runs without asking. It is still listed (c: calls) "
        "and logged.",
    ),
    TourStep(
        "deny",
        "Denying a call",
        "A destructive tool runs only after your approval. The approval dialog shows exactly the "
        "tool and the arguments to be sent. You can always deny; then nothing is sent.",
        ("delete_file",),
        quizzes.host_does("codex", "delete_file", "Codex"),
        (
            StepPart(
                "f3, type delete_file, enter. Type notes/todo.txt, then f5. Read the dialog, then "
                "press esc to deny.",
                denied("delete_file"),
                "The dialog ignores keys for the first half second. esc: deny.",
                (Move("delete_file", _FILE, "deny"),),
            ),
        ),
        "Only an explicit approval sends a call. Closing the window, a lost connection and a crash "
        "all deny.",
    ),
    TourStep(
        "hosts",
        "The same tool in other hosts",
        "The same hints have different effects in different hosts. If you write a server, find "
        "out before your users do.",
        ("delete_file",),
        quizzes.hosts_agree("delete_file"),
        (
            StepPart(
                "Press f2: every tool under every policy and, further right, in every known host. "
                "Move with the arrow keys. esc: close it.",
                opened("MatrixScreen"),
                "f2 works everywhere except in a dialog.",
                ("f2", "escape"),
            ),
        ),
        "ctrl+o makes Signoff follow the rules of any of these hosts. ctrl+l: your audit log.",
    ),
    TourStep(
        "approve",
        "Approving a call",
        "An approval is for one call: this server, this tool, these arguments. Accidental keys "
        "must not approve, so the dialog ignores keys until you stop typing for half a second.",
        ("delete_file",),
        quizzes.signoff_would(
            "You call delete_file again. What will Signoff do before it runs?",
            "delete_file",
        ),
        (
            StepPart(
                "f3, type delete_file, enter. If the path is empty, type notes/todo.txt. f5. In "
                "the dialog press tab until “Approve once” is marked, wait a second, press enter.",
                approved("delete_file"),
                "Or, in the dialog: ctrl+y, a pause, ctrl+y.",
                (Move("delete_file", _FILE, "approve"),),
            ),
        ),
        "One approval is for one call. The dialog can remember it for longer; f10 revokes it.",
    ),
    TourStep(
        "defaults",
        "Missing hints",
        "Most tools have no hints at all. Then the specification assumes the stricter default: "
        "destructive, open world.",
        ("generate_fantasy_character",),
        quizzes.default_is("destructive"),
        (
            StepPart(
                "f3, type generate_fantasy, enter, f5. Look at the line “hints” in the dialog. "
                "Then deny or approve.",
                decided("generate_fantasy_character"),
                "Select generate_fantasy_character; it needs no arguments.",
                (Move("generate_fantasy_character", {}, "deny"),),
            ),
        ),
        "A tool without hints may write, delete or use the network. Treat it that way.",
    ),
    TourStep(
        "liar",
        "Wrong hints",
        "The protocol does not check hints, so a server can declare anything. read_settings is "
        "declared read-only, but it writes a file.",
        ("read_settings", "get_config_file"),
        quizzes.host_does("vscode", "read_settings", "VS Code"),
        (
            StepPart(
                "f3, type read_settings, enter, f5. It runs, because it is declared read-only.",
                answered("read_settings"),
                "It runs without asking: the server is trusted and the tool is declared read-only.",
                (Move("read_settings", {}),),
            ),
            StepPart(
                f"Now see the file it wrote: f3, type get_config, enter, type {_LEFT_BEHIND}, f5.",
                answered("get_config_file"),
                f"get_config_file shows a file of the sandbox: {_LEFT_BEHIND} was not there before "
                "read_settings ran.",
                (Move("get_config_file", {"path": _LEFT_BEHIND}),),
            ),
        ),
        "It declares readOnlyHint: true and wrote a file. Hints are only as reliable as the server "
        "that declares them.",
    ),
    TourStep(
        "trust",
        "Trust",
        "So you decide which server to trust. The hints of an untrusted server let no call run: "
        "every call asks. They only decide whether it asks with a warning.",
        ("read_settings",),
        quizzes.signoff_would(
            "Without trust: what will Signoff do with read_settings, declared read-only?",
            "read_settings",
            Trust.UNTRUSTED,
        ),
        (
            StepPart(
                "Press ctrl+t: the server is now untrusted. See the top right corner.",
                trust_is(Trust.UNTRUSTED),
                "If it is untrusted already, this part is done.",
                ("ctrl+t",),
            ),
            StepPart(
                "f3, type read_settings, enter, f5: now it asks. Press esc to deny.",
                asked_untrusted("read_settings"),
                "The dialog ignores keys for the first half second.",
                (Move("read_settings", {}, "deny"),),
            ),
            StepPart(
                "ctrl+t again. Read the list of tools that will run without asking (end: go to its "
                "end), press tab, wait a second, enter. The server is trusted again.",
                trust_is(Trust.TRUSTED),
                "Scroll to the end of the list to enable “Trust this server”.",
                ("ctrl+t", "enter?"),
            ),
        ),
        "The bundled server is part of Signoff and starts trusted. Other servers do not.",
    ),
    TourStep(
        "edit",
        "Editing before approval",
        "Often a call is nearly right. Instead of approving or denying it, you can go back from "
        "the dialog to the form and edit the arguments.",
        ("launch_confetti",),
        quizzes.host_edits("vscode", "VS Code"),
        (
            StepPart(
                "f3, type launch_confetti, enter. Type gold, tab, the office, f5. In the dialog "
                "press tab until Edit is marked, wait a second, press enter.",
                edited("launch_confetti"),
                "color and location are required. Edit is the third button.",
                (Move("launch_confetti", _CONFETTI, "edit"),),
            ),
            StepPart(
                "You are back in the form. Change the color, press f5, and approve.",
                approved_after_edit("launch_confetti"),
                "The color must differ from before. Tab to “Approve once”, wait, enter.",
                (Move("launch_confetti", _CONFETTI | {"color": "silver"}, "approve"),),
            ),
        ),
        "An edited call needs a new approval. Signoff sends exactly the last shown arguments.",
    ),
    TourStep(
        "changed",
        "Changed definitions",
        "A server can change the description or the hints of a tool after you approved it. A new "
        "description can contain instructions for the model.",
        ("shape_shifter", "change_definition"),
        quizzes.signoff_would(
            "You approved shape_shifter. Its description changes. What happens at the next call?",
            "shape_shifter",
            seen=DefinitionStatus.CHANGED,
        ),
        (
            StepPart(
                "f3, type shape_shifter, enter, f5, and approve.",
                approved("shape_shifter"),
                "Its argument is filled in. Tab to “Approve once”, wait, enter.",
                (Move("shape_shifter", {"note": "hello"}, "approve"),),
            ),
            StepPart(
                "f3, type change_definition, enter, f5, approve. It rewrites shape_shifter.",
                answered("change_definition"),
                "Leave the change at “reword”.",
                (Move("change_definition", {"change": "reword"}, "approve"),),
            ),
            StepPart(
                "f3, type shape_shifter, enter, f5. Read the changes in the dialog. Then esc.",
                decided_after("shape_shifter", "change_definition"),
                "The lines with + are new. PgDn: scroll. esc: deny.",
                (Move("shape_shifter", {"note": "hello"}, "deny"),),
            ),
        ),
        "An approval holds only for an unchanged definition. D: show every change.",
    ),
)


STEPS: Final[tuple[TourStep, ...]] = (*APPROVING, *ANSWERING)
