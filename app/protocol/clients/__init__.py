"""How client libraries read a definition, an initialization or a result: measured, as data.

`clients.toml` has the table. A row is a measurement of versions on a day: libraries change, and
`signoff compat --run-clients` runs the real ones beside it.
"""
