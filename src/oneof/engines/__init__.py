"""Many independent trials, somewhere: one small interface, and the places that do them."""
