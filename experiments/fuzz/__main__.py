"""`python -m experiments.fuzz --minutes 10`: damages files, reads them, and reports all but answers and typed errors.

The limits of a case are 5 seconds and a gigabyte. Readers run in a child process, which is restarted when it crashes,
is killed, or hangs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from experiments.fuzz.child import Child, case
from experiments.fuzz.readers import readers


def main() -> None:
    """Runs cases until the time is up."""
    parser = argparse.ArgumentParser(prog="experiments.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--only", default="", help="readers whose names hold this")
    parser.add_argument("--keep", type=Path, help="a folder for the files of faults")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        every = list(readers(Path(folder)))
    chosen = [number for number, reader in enumerate(every) if options.only in reader.name]
    ends = time.monotonic() + 60 * options.minutes
    counts: dict[str, Counter[str]] = {every[number].name: Counter() for number in chosen}
    seen = set[str]()
    child, seed = Child(), options.seed
    while time.monotonic() < ends:
        for number in chosen:
            if not child.is_alive:
                child = Child()
            result = child.outcome(number, seed)
            counts[every[number].name][result if result in ("answer", "error") else "FAULT"] += 1
            fault = f"{every[number].name}: {result}"
            if result not in ("answer", "error") and fault not in seen:
                seen.add(fault)
                print(f"seed {seed}: {fault}", flush=True)
                if options.keep is not None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    kept = options.keep / f"{every[number].name.replace(' ', '_')}.{seed}{every[number].suffix}"
                    kept.write_bytes(case(every[number], seed))
        seed += 1
    print("reader\tanswers\terrors\tfaults")
    for name, count in counts.items():
        print(f"{name}\t{count['answer']}\t{count['error']}\t{count['FAULT']}")
    sys.exit(1 if seen else 0)


if __name__ == "__main__":
    main()
