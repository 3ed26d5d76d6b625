"""What all commands share: options with their help, and messages on standard error."""
