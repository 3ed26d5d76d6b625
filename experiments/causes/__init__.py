"""Why gappy composition as the paper does it gains less than with one weight: the causes, one by one."""
