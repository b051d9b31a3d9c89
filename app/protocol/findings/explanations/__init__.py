"""Why each finding matters, with an example and a fix; loaded only to explain one."""
