"""What things are: plain frozen values, no I/O."""
