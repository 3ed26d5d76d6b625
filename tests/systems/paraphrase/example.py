"""The paper's worked example (Imamura, Akiba and Sumita 2002, figure 1), with trees in brackets."""

TAXI = (
    "(S (MD Would) (NP (PRP you)) (VP (VP (VP (VP (VB get)) (NP (PRP me))) (NP (DT a) (NN taxi))) "
    "(VMP (IN at) (NP (CD 10) (NMP (IN in) (NP (DT the) (NN morning)))))) (. ?))",
    "(S (ADVP (UH Please)) (VP (VP (VP (VP (VB get)) (NP (DT a) (NN taxi))) (VMP (IN for) (NP (PRP me)))) "
    "(VMP (IN at) (NP (CD 10) (RB a.m.)))) (. .))",
)

PAIRS = {
    ("get me a taxi", "get a taxi for me"),
    ("10 in the morning", "10 a.m."),
    ("at 10 in the morning", "at 10 a.m."),
}

NEW = {
    "Would you get a taxi for me at 10 a.m. ?",
    "Would you get a taxi for me at 10 in the morning ?",
    "Would you get me a taxi at 10 a.m. ?",
    "Please get me a taxi at 10 in the morning .",
    "Please get me a taxi at 10 a.m. .",
    "Please get a taxi for me at 10 in the morning .",
}
