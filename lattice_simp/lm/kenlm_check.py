"""A script, not a module: loads the KenLM binary that it is called with, and scores random sentences of its words.

KenLM trusts binaries: it follows damaged pointers out of its memory, and searches a damaged hash table forever.
"""

import math
import mmap
import random
import sys

import kenlm

WORDS, SENTENCES, LENGTH = 2000, 3000, 12
MOST_BYTES = 1 << 24
REFUSED = 3


def vocabulary(path: str) -> list[bytes]:
    """Returns words of a binary, which holds their text, if at all, at its end, beginning with `<unk>`."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = data.rfind(b"<unk>\0")
        return data[begin : begin + MOST_BYTES].split(b"\0")[1:-1] if begin >= 0 else []


def check(path: str) -> int:
    """Returns the exit status."""
    try:
        model = kenlm.Model(path)
    except (OSError, RuntimeError) as error:
        print(str(error).splitlines()[0] if str(error) else "unknown reason")
        return REFUSED
    listed = vocabulary(path)
    unknown = next((word for word in listed if word not in model), None)
    if unknown is not None:
        print(f"it lists the word {unknown.decode('utf-8', 'replace')}, and does not know it")
        return REFUSED
    words = [*random.Random(0).sample(listed, min(WORDS, len(listed))), b"<s>", b"</s>", b"a word that no model knows"]
    choose = random.Random(1)
    sentences = [b" ".join(choose.choices(words, k=LENGTH)) for _ in range(SENTENCES)]
    scores = [*map(model.score, sentences), *(model.score(word, bos=False, eos=False) for word in words)]
    if not all(map(math.isfinite, scores)):
        print("it gives sentences scores that are not numbers")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
