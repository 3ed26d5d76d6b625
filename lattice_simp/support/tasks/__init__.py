"""Many independent tasks that may fail or kill their workers: on this machine's processes, or on a Dask cluster."""

from lattice_simp.support.tasks.batch import all_results, check_cluster, run_batch, run_tasks
from lattice_simp.support.tasks.outcome import BatchError, Outcome, in_order

__all__ = ["BatchError", "Outcome", "all_results", "check_cluster", "in_order", "run_batch", "run_tasks"]
