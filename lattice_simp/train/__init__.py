"""From parallel text to a model directory: stages that write files, each done once for the same input."""
