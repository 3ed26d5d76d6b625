"""The exit statuses of the program, as shells and other programs use them."""

FAILED, BAD_INPUT = 1, 2
"""Some sentences or lattices failed; the command line or a file is wrong."""

INTERRUPTED, BROKEN_PIPE = 130, 141
"""After Ctrl-C, and after the reader of the output has gone: 128 plus the number of the signal."""
