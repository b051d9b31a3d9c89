"""Resources, prompts, tasks and roots: commands and screens."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(
        Command("read", "read one resource", "read_command:add"),
        Command("resources", "list resources and resource templates", "command:add_resources"),
        Command("prompts", "list prompts", "command:add_prompts"),
        Command("prompt", "get one prompt", "prompt_command:add"),
        Command("tasks", "list the server's tasks", "command:add_tasks"),
    ),
    screens=(
        Screen(
            "roots",
            "roots_screen:show",
            (
                Key(
                    "L",
                    "Roots",
                    "Edit the folders (roots) that the server may ask for.",
                    "bench.roots",
                ),
            ),
        ),
        Screen(
            "offers",
            "screen:show",
            (
                Key(
                    "P",
                    "Resources",
                    "Browse the server's resources, templates and prompts.",
                    "bench.offers",
                    show=True,
                ),
            ),
            can="screen:can_show",
            why="This server has no resources and no prompts.",
        ),
        Screen(
            "tasks",
            "tasks_screen:show",
            (
                Key(
                    "K",
                    "Tasks",
                    "List the server's tasks, also those of earlier sessions.",
                    "bench.tasks",
                ),
            ),
            can="tasks_screen:can_show",
            why="This server has no tasks.",
        ),
    ),
)
