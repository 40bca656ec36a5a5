"""What the end-to-end tests share: the daemon and the client as processes, problems, and generated messages."""
