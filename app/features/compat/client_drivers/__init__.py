"""Programs that run other client libraries, each in its own process and environment.

They import nothing of Signoff. Each reads one line of JSON from stdin, a list of `{"command":
[...], "calls": [{"name": ..., "arguments": {...}}], "seconds": 10}`. For each it connects over
stdio, lists the tools, makes the calls, and prints a line: MARK and `{"connect": "", "list": "",
"tools": [...], "calls": [...]}`. A text is the error that the client raised; null: not tried.
"""
