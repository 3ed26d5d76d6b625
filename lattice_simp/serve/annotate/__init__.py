"""The tab where annotators shorten sentences and check each other's work."""
