"""The main screen: its panes, its keys and actions, and what a call looks like in it."""
