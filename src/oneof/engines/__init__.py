"""Where many independent trials are done: one interface, and two engines, local processes and Ray."""
