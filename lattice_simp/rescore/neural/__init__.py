"""Neural translation models as scorers, through CTranslate2, and a small trainer for them.

    from lattice_simp.rescore.neural.scorer import TranslationScorer      # needs lattice-simp[neural]
    from lattice_simp.rescore.neural.training import train                # needs lattice-simp[neural-training]

`TranslationScorer` is a `PrefixScorer` of `lattice_simp.rescore`. It accepts all models that CTranslate2 can convert;
`segmentation.py` describes how a folder specifies its subwords.
"""
