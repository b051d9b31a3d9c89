"""Resources, prompts, tasks and roots: commands and screens."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "read", "read one resource", "read_command:add", on_open=True, takes="resource"
        ),
        CommandEntry(
            "resources",
            "list resources and resource templates",
            "command:add_resources",
            on_open=True,
            lists="resource",
        ),
        CommandEntry(
            "prompts", "list prompts", "command:add_prompts", on_open=True, lists="prompt"
        ),
        CommandEntry(
            "prompt", "get one prompt", "prompt_command:add", on_open=True, takes="prompt"
        ),
        CommandEntry("tasks", "list the server's tasks", "command:add_tasks", on_open=True),
    ),
    screens=(
        ScreenEntry("roots", "roots_screen:show"),
        ScreenEntry("offers", "screen:show"),
        ScreenEntry("tasks", "tasks_screen:show"),
    ),
)
