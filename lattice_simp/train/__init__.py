"""From parallel text to a model directory: stages that write files, each run only once for the same input."""
