"""What `signoff --help` says before and after the options."""

from __future__ import annotations

from typing import Final

USAGE: Final = """signoff [OPTIONS] (demo | --url URL | -- COMMAND [ARG...])
       signoff NAME [OPTIONS] [TARGET]   one of the commands below
       signoff NAME --help               what it takes"""

EPILOG: Final = """\
targets (one of them, in every command that needs a server):
  demo                 the bundled server
  --url URL            Streamable HTTP
  -- COMMAND [ARG...]  any stdio server; runs with your rights

examples:
  signoff demo
  signoff tour
  signoff -- npx -y @modelcontextprotocol/server-everything
  signoff demo --as vscode
  signoff tools demo --json
  signoff call delete_file demo -a path=notes/todo.txt --approve always --json
  signoff matrix demo --html > matrix.html
  signoff policy explain delete_file demo -a path=notes/todo.txt
  signoff diff --pin tools.pin.json -- ./server
  signoff lint --strict -- ./server
  signoff compat --check -- ./server
  signoff test checkout.flow.yaml
  signoff demo --capture session.jsonl
  signoff wire session.jsonl method:tools/call error
  signoff -- signoff replay session.jsonl

exit status: 0 fine; 1 the tool or the protocol said error; 2 wrong usage; 3 not approved;
4 the answer breaks its contract; 5 the server could not be reached or was lost, or nothing
was sent; 6 a time limit; 10 the server asks for input or started a task; 70 a fault of
Signoff; 130 interrupted. diff: 7 harmless or reworded; 8 weaker hints, another output, tools
gone; 9 breaking. test: 1 a step failed; 2 a flow has mistakes; 5 a server was not reached.
audit verify: 1 the log was changed; 7 not all of it is there.
"""
