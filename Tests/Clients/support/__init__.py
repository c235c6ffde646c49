"""What the tests share: servers to talk to, and ways to talk to them."""
