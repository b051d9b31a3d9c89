"""Parts of the commands that need no screen: targets, approvers, output, exit statuses."""
