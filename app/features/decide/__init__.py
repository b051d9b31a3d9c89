"""Who is asked: decisions of hosts on every tool, their baseline, and the effect of a change."""
