"""Flow files here run on every surface, by `test_flows.py`, and not by the plugin."""

collect_ignore_glob = ["*.flow.yaml"]
