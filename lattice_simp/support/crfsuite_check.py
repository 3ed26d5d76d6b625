"""A script, not a module: loads the CRFsuite model of its argument, lists it, and labels all its attributes.

CRFsuite trusts the offsets in a model, so damaged ones lead it out of its memory.
"""

import sys

import pycrfsuite  # type: ignore[import-untyped]

TOKEN_ATTRIBUTES, TOKENS = 16, 64
REFUSED = 3


def check(path: str) -> int:
    """Returns the exit status."""
    try:
        label_everything(path)
    except Exception as error:  # the library may raise anything; the caller reports it
        print(f"{type(error).__name__}: {error}")
        return REFUSED
    return 0


def label_everything(path: str) -> None:
    """Labels sequences that hold each attribute of the model once."""
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    if not tagger.labels():
        raise ValueError("it has no labels")
    attributes = sorted({name for name, _ in tagger.info().state_features})
    step = TOKEN_ATTRIBUTES * TOKENS
    for begin in range(0, max(len(attributes), 1), step):
        part = attributes[begin : begin + step]
        tagger.tag([part[place : place + TOKEN_ATTRIBUTES] for place in range(0, max(len(part), 1), TOKEN_ATTRIBUTES)])
    tagger.tag([["no such attribute"]])


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
