"""The tab where raters judge the outputs of systems."""
