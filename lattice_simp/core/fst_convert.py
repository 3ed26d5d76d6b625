"""A script, not a module: converts the OpenFst file on its standard input to the vector layout with standard arcs.

OpenFst trusts the numbers of states and arcs in a file: with wrong ones it takes all memory, or reads beyond the end.
"""

import resource
import sys

import pywrapfst

BYTES, BYTES_FOR_EACH = 2 << 30, 200
"""The memory limit: a constant for the libraries, plus a multiple of the file's size."""

REFUSED = 3


def convert(data: bytes, arc_type: str) -> bytes:
    """Returns the bytes of the converted file."""
    fst = pywrapfst.Fst.read_from_string(data)
    if not fst.verify():
        raise ValueError("the FST contradicts itself")
    standard = fst if arc_type == "standard" else pywrapfst.arcmap(fst, map_type="to_standard")
    result: bytes = pywrapfst.convert(standard, "vector").write_to_string()
    return result


def main() -> int:
    """Returns the exit status."""
    data = sys.stdin.buffer.read()
    limit = BYTES + BYTES_FOR_EACH * len(data)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        result = convert(data, sys.argv[1])
    except Exception as error:  # the library may raise anything; the caller reports it
        print(f"{type(error).__name__}: {error}")
        return REFUSED
    sys.stdout.buffer.write(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
