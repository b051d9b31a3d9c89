"""Lint: what is doubtful about the definitions of a server's tools, each rule with its reasons.

Nothing is called and nothing is fetched: a rule looks at definitions, and at what was learnt of
them before.
"""
