"""Hindi to English with the skeletons that clause boundaries give, and of simplified sentences."""
