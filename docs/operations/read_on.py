"""Copies new rows of bi.ledger and bi.results into a warehouse, and reads on where it ended.

    SOURCE='postgres://an_analyst@…/supply' TARGET='postgres://…/warehouse' python3 read_on.py

The target has tables `ledger` and `results` that begin with account_id and seq, their primary key, and
have further columns of the views. A column that a view gets later is not copied until the target has it. Run it as often as you like; it needs psql and nothing else.
"""
import os
import subprocess

# A failover may take the last rows back and give their numbers to others: these are read again.
READ_AGAIN = 100
AT_ONCE = 10_000


def psql(url: str, *statements: str, data: str = "") -> str:
    command = ["psql", url, "-XqAt", "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    return subprocess.run(command, input=data, check=True, text=True, stdout=subprocess.PIPE).stdout


def read_on(source: str, target: str, view: str) -> int:
    """Copies the new rows of one view, in pages. Returns how many rows were new or read again."""
    total, marks = 0, dict(line.split("|") for line in psql(
        target, f"select account_id, max(seq) from {view} group by 1").splitlines())
    columns = psql(target, f"select string_agg(attname, ', ' order by attnum) from pg_attribute "
                           f"where attrelid = '{view}'::regclass and attnum > 0 and not attisdropped").strip()
    for account in psql(source, "select account_id from bi.accounts").split():
        after = max(0, int(marks.get(account, 0)) - READ_AGAIN)
        while True:
            rows = psql(source, f"copy (select {columns} from bi.{view} where account_id = {account} "
                                f"and seq > {after} order by seq limit {AT_ONCE}) to stdout")
            lines = rows.splitlines()
            is_last = len(lines) < AT_ONCE
            # Behind the last row of the source are only rows that a failover took back.
            upto = "" if is_last else f"and t.seq <= {lines[-1].split()[1]}"
            psql(target, f"create temp table page (like {view}); copy page from stdin;",
                 f"delete from {view} t where t.account_id = {account} and t.seq > {after} {upto}; "
                 f"insert into {view} select * from page", data=rows)
            total += len(lines)
            if is_last:
                break
            after = int(lines[-1].split()[1])
    return total


if __name__ == "__main__":
    for name in ("ledger", "results"):
        print(name, read_on(os.environ["SOURCE"], os.environ["TARGET"], name))
