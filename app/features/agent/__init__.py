"""`signoff agent`: a session with an agent that speaks ACP; its questions, calls and screen."""
