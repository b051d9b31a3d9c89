"""The list of tools and the pane of the selected tool."""
