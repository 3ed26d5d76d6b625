"""Systems built on the engine. None imports another, but `combination`, whose method `phrases` needs `paraphrase`."""
