"""A script, not a module: loads the KenLM binary that it is called with, and scores random sentences of its words.

KenLM trusts binaries: it follows damaged pointers out of its memory, and searches a damaged hash table forever.
"""

import mmap
import random
import sys

import kenlm

WORDS, SENTENCES, LENGTH = 2000, 3000, 12
REFUSED = 3


def vocabulary(path: str) -> list[str]:
    """Samples words of a binary, which holds their text, if at all, at its end, beginning with `<unk>`."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = data.rfind(b"<unk>\0")
        words = data[begin : begin + (1 << 24)].split(b"\0")[1:-1] if begin >= 0 else []
    chosen = random.Random(0).sample(words, min(WORDS, len(words)))
    return [word.decode("utf-8", "replace") for word in chosen]


def check(path: str) -> int:
    """Returns the exit status."""
    try:
        model = kenlm.Model(path)
    except (OSError, RuntimeError) as error:
        print(str(error).splitlines()[0] if str(error) else "unknown reason")
        return REFUSED
    words = [*vocabulary(path), "<s>", "</s>", "a word that no model knows"]
    choose = random.Random(1)
    for _ in range(SENTENCES):
        model.score(" ".join(choose.choices(words, k=LENGTH)))
    for word in words:
        model.score(word, bos=False, eos=False)
    return 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
