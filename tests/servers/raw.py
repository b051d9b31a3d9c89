"""A scripted stdio server that behaves as its switches say; see `--help`."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers.options import parse
from tests.servers.scripted import Server

Server(parse(sys.argv[1:])).run()
