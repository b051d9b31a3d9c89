"""The bench as numbered lines and questions: for screen readers, serial lines and logs.

Nothing here moves a cursor, uses a colour or redraws what was written.
"""
