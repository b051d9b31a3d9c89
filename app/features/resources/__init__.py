"""Resources, prompts, tasks and roots: commands and screens."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("read", "read one resource", "read_command:add"),
        CommandEntry("resources", "list resources and resource templates", "command:add_resources"),
        CommandEntry("prompts", "list prompts", "command:add_prompts"),
        CommandEntry("prompt", "get one prompt", "prompt_command:add"),
        CommandEntry("tasks", "list the server's tasks", "command:add_tasks"),
    ),
    screens=(
        ScreenEntry(
            "roots",
            "roots_screen:show",
            (
                KeyEntry(
                    "L",
                    "Roots",
                    "Edit the folders (roots) that the server may ask for.",
                    "main.roots",
                ),
            ),
        ),
        ScreenEntry(
            "offers",
            "screen:show",
            (
                KeyEntry(
                    "P",
                    "Resources",
                    "Browse the server's resources, templates and prompts.",
                    "main.offers",
                    show=True,
                ),
            ),
            can="screen:can_show",
            why="This server has no resources and no prompts.",
        ),
        ScreenEntry(
            "tasks",
            "tasks_screen:show",
            (
                KeyEntry(
                    "K",
                    "Tasks",
                    "List the server's tasks, also those of earlier sessions.",
                    "main.tasks",
                ),
            ),
            can="tasks_screen:can_show",
            why="This server has no tasks.",
        ),
    ),
)
