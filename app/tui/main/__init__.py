"""The main screen: its panes, its keys and actions, and the display of a call."""
