"""English simplified, then translated: plainly, and as skeletons whose words may differ from the sentence's."""
