"""Many independent tasks that may fail or kill their workers: on this machine's processes, or on a Dask cluster."""

from lattice_simp.pipeline.outcome import BatchError, Outcome, in_order
from lattice_simp.pipeline.processes import run_batch
from lattice_simp.pipeline.tasks import check_cluster, run_tasks

__all__ = ["BatchError", "Outcome", "check_cluster", "in_order", "run_batch", "run_tasks"]
