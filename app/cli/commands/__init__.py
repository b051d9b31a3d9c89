"""The commands of the frame: screen, call, tools, config, completion."""
