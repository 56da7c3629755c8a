"""Verifies exports of ops.ledger_chain without the database, and that a later one holds all rows of an earlier one.

    psql "$DATABASE_URL" -c "\\copy (select account_id, seq, entry, hash from ops.ledger_chain order by account_id, seq)
        to 'ledger.csv' csv header"       (on one line)
    python3 verify_ledger.py january.csv ledger.csv

It prints what is wrong, and ends with 1 if anything is; the exit code is 0 while all is well.
"""
import csv
import hashlib
import sys


def read(path: str) -> dict[tuple[int, int], tuple[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return {(int(row["account_id"]), int(row["seq"])): (row["entry"], row["hash"]) for row in rows}


def faults(rows: dict[tuple[int, int], tuple[str, str]]) -> list[str]:
    """Each row hashes itself and the hash of the row before it of its account; rows count from 1."""
    found = []
    for (account, seq), (entry, shown) in sorted(rows.items()):
        _, before = rows.get((account, seq - 1), ("", ""))
        if seq > 1 and before == "":
            found.append(f"account {account}: row {seq - 1} is missing")
        elif hashlib.sha256((before + entry).encode()).hexdigest() != shown:
            found.append(f"account {account}: row {seq}, or the row before it, was changed: {entry}")
    return found


if __name__ == "__main__":
    exports = [(path, read(path)) for path in sys.argv[1:]]
    wrong = [f"{path}: {fault}" for path, rows in exports for fault in faults(rows)]
    for (earlier, old), (later, new) in zip(exports, exports[1:]):
        wrong += [f"{later}: account {account}: row {seq} is not that of {earlier}"
                  for (account, seq), row in sorted(old.items()) if new.get((account, seq)) != row]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
