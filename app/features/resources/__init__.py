"""Resources, prompts, tasks and roots: commands and screens."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("read", "read one resource", "read_command:add"),
        CommandEntry("resources", "list resources and resource templates", "command:add_resources"),
        CommandEntry("prompts", "list prompts", "command:add_prompts"),
        CommandEntry("prompt", "get one prompt", "prompt_command:add"),
        CommandEntry("tasks", "list the server's tasks", "command:add_tasks"),
    ),
    screens=(
        ScreenEntry("roots", "roots_screen:show"),
        ScreenEntry("offers", "screen:show"),
        ScreenEntry("tasks", "tasks_screen:show"),
    ),
)
