"""English simplified, then translated: plainly, and as skeletons whose words may be others than the sentence's."""
