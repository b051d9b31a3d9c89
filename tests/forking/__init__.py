"""Python programs under test that begin where all imports are done.

Half of the suite's processor time was spent on starting Python and importing the SDK and Textual,
some two thousand times. So one process imports all of it (`forkserver.py`), and a program that a
test starts is a fork of that: a process of its own, with its own pipes, session, environment and
folder, whose parent is whoever started it. `popen.py` says which programs are started so.

What a fork cannot show - how a start goes, what is imported when, what Python reads once - is left
to real starts: those of `tests/test_installed.py` and wherever `pytest.mark.started_anew` stands.
With `SIGNOFF_NO_FORKS=1` every program is started anew.
"""
