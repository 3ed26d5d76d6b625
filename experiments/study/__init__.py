"""The study of translation with skeletons (Hasler et al. 2016) on real data, with extensions."""
