"""What the operating systems do differently, one subject a module; nothing else of Signoff asks.

Each module has the same names on every system. Where a system has nothing of the kind, that is
said at the name, and in the manual by system.
"""
