"""What client libraries make of a definition, a greeting or an answer: measured, as data. Pure.

`clients.toml` has the table. A row is a measurement of versions on a day: libraries change, and
`signoff compat --check` runs the real ones beside it.
"""
