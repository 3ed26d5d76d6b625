"""An artificial Hindi treebank in SSF, small enough for training in a test."""

from __future__ import annotations

import numpy as np

NOUNS = ["राम", "सीता", "मोहन", "लड़का"]
VERBS = [("गया", "जा"), ("सोया", "सो"), ("आया", "आ")]


def ssf_sentence(number, rng):
    """Writes a sentence, optionally with a participle and with a complement."""
    chunks = [("NP", "NP", "k1:VGF", [(rng.choice(NOUNS), "NNP", "n")])]
    if rng.random() < 0.5:
        chunks.append(("NP", "NP2", "k2:VGNF", [("खाना", "NN", "n")]))
        chunks.append(("VGNF", "VGNF", "vmod:VGF", [("खाकर", "VM", "v")]))
    verb, root = VERBS[rng.integers(len(VERBS))]
    chunks.append(("VGF", "VGF", "", [(verb, "VM", f"{root},v,m,sg,3,,या,yA")]))
    if rng.random() < 0.5:
        chunks.append(("CCP", "CCP", "k2:VGF", [("कि", "CC", "avy")]))
        chunks.append(("NP", "NP3", "k1:VGF2", [(rng.choice(NOUNS), "NNP", "n")]))
        chunks.append(("VGF", "VGF2", "ccof:CCP", [(verb, "VM", f"{root},v,m,sg,3,,या,yA")]))
    chunks.append(("BLK", "BLK", "rsym:VGF", [("।", "SYM", "punc")]))
    lines = [f"<Sentence id='{number}'>"]
    for position, (tag, name, relation, words) in enumerate(chunks, start=1):
        drel = f" drel='{relation}'" if relation else ""
        lines.append(f"{position}\t((\t{tag}\t<fs name='{name}'{drel}>")
        for word, pos, af in words:
            full = af if "," in af else f"{word},{af},m,sg,3,d,0,0"
            lines.append(f"{position}.1\t{word}\t{pos}\t<fs af='{full}'>")
        lines.append("\t))")
    return "\n".join([*lines, "</Sentence>", ""])


def write_bank(folder, names=("a", "b"), size=60):
    """Writes files of artificial sentences to a folder."""
    rng = np.random.default_rng(3)
    folder.mkdir(exist_ok=True)
    for name in names:
        text = "".join(ssf_sentence(number, rng) for number in range(1, size + 1))
        (folder / f"{name}.dat").write_text(text, encoding="utf-8")
