"""Proves that your books and the supplier's agree, up to a moment: the last midnight in UTC unless
given. Ends with 0 where they do, else, or where they could not be read, with 1. Python 3.8.

python3 reconcile.py
python3 reconcile.py 2026-03-02T23:59:59.999Z
"""
import json
import os
import sqlite3
import sys
import urllib.request
from datetime import datetime, timezone
from decimal import Decimal
from urllib.parse import quote

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000")
API_KEY = os.environ.get("API_KEY", "")
midnight = datetime.now(timezone.utc).strftime("%Y-%m-%dT00:00:00.000Z")
until = sys.argv[1] if len(sys.argv) > 1 else midnight

os.umask(0o077)  # your orders' answers, which it holds too, can hold keys of games
db = sqlite3.connect(os.environ.get("DATABASE", "shop.db"), timeout=10)
db.row_factory = sqlite3.Row
db.executescript("""
  create table if not exists purchases (reference text primary key, player text not null);
  create table if not exists supply_orders (
    reference text primary key references purchases, request text not null,
    status int, answer text);
  create table if not exists statement (
    seq int primary key, type text, cents int, balance_after int, order_code text, reference text);
  create index if not exists statement_reference on statement (reference);
  create table if not exists results (
    seq int primary key, order_code text, reference text, total int, refunded int, failed int,
    completed_at text);
  create index if not exists results_order on results (order_code)""")
differences = []


class NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirect would carry the key to another server.
    def redirect_request(self, *args):
        return None


opener = urllib.request.build_opener(NoRedirects)


def get(path):
    call = urllib.request.Request(BASE_URL + path, headers={"X-Api-Key": API_KEY})
    with opener.open(call, timeout=30) as response:
        return json.load(response, parse_float=Decimal)["data"]


def to_cents(amount):
    return int(100 * Decimal(amount))


def read_results():
    """The results after the last one that is kept, a page and a transaction at a time."""
    has_more = True
    while has_more:
        (kept,) = db.execute("select coalesce(max(seq), 0) from results").fetchone()
        page = get(f"/b2b/results?after={kept}&limit=100")
        with db:
            for result in page["results"]:
                failed = [item for item in result["items"] if item["status"] == "failed"]
                db.execute(
                    "insert into results values (?, ?, ?, ?, ?, ?, ?)",
                    (
                        result["seq"],
                        result["orderCode"],
                        result["externalOrderId"],
                        to_cents(result["totalAmount"]),
                        to_cents(result["refundedAmount"]),
                        sum(to_cents(item["price"]) * item["amount"] for item in failed),
                        result["completedAt"],
                    ),
                )
        has_more = page["hasMore"]


def read_statement():
    """Keeps the transactions after the last one. The balance at the moment, and its last row."""
    (kept,) = db.execute("select coalesce(max(seq), 0) from statement").fetchone()
    path = f"/b2b/balance/transactions?limit=100&to={quote(until)}"
    first = page = get(path)
    rows = list(first["transactions"])  # the newest first
    while page["pagination"]["hasMore"] and rows[-1]["seq"] > kept + 1:
        page = get(f"{path}&cursor={page['pagination']['nextCursor']}")
        rows += page["transactions"]
    with db:
        for row in rows:
            if row["seq"] > kept:
                cents, after = to_cents(row["amount"]), to_cents(row["balanceAfter"])
                names = (row["orderCode"], row["externalOrderId"])
                values = (row["seq"], row["type"], cents, after, *names)
                db.execute("insert into statement values (?, ?, ?, ?, ?, ?)", values)
    return to_cents(first["closingBalance"]), max((row["seq"] for row in rows), default=0)


def judge_statement(closing, end):
    """Opening balance and movements make the closing balance, and no movement is missing."""
    last = balance = 0
    for row in db.execute("select * from statement where seq <= ? order by seq", (end,)):
        if row["seq"] != last + 1:
            differences.append(f"statement: {row['seq']} comes after {last}")
        if balance + row["cents"] != row["balance_after"]:
            differences.append(f"statement: the balance after {row['seq']} does not follow")
        last, balance = row["seq"], row["balance_after"]
    if balance != closing:
        differences.append(f"statement: it ends with {balance}, not with {closing}")


def judge_orders(end):
    """What you ordered is charged once; of what is final, what failed came back, and no more."""
    orders = db.execute(
        """
        select s.order_code, s.reference,
          (select count(*) from statement
            where type = 'order_charge' and reference = s.reference) as charges,
          -sum(case type when 'order_charge' then cents else 0 end) as charged,
          sum(case type when 'order_refund' then cents else 0 end) as refunded,
          r.total, r.refunded as told, r.failed
        from statement s
        left join results r on r.order_code = s.order_code and r.completed_at <= ?
          and r.seq = (select max(seq) from results where order_code = s.order_code)
        where s.seq <= ? and type in ('order_charge', 'order_refund') group by s.order_code""",
        (until, end),
    )
    for one in orders:
        name = one["reference"]
        if one["charges"] != 1:
            differences.append(f"{name}: charged {one['charges']} times")
        if one["total"] is None:
            if one["refunded"] != 0:
                differences.append(f"{name}: refunded without a result")
            continue
        if one["charged"] != one["total"]:
            differences.append(f"{name}: charged {one['charged']}, not {one['total']}")
        if not one["refunded"] == one["told"] == one["failed"]:
            told = f"told {one['told']}, failed items {one['failed']}"
            differences.append(f"{name}: refunded {one['refunded']}, {told}")


def judge_own(ordered):
    """Every order of ours is theirs, and every one of theirs is ours."""
    for reference in ordered:
        charged = "select 1 from statement where type = 'order_charge' and reference = ?"
        if db.execute(charged, (reference,)).fetchone() is None:
            # Placed after the moment, perhaps: the list knows every order at once.
            if not get(f"/b2b/orders?externalOrderId={quote(reference, safe='')}")["orders"]:
                differences.append(f"{reference}: ordered by us, and they do not know it")
    foreign = db.execute("""
        select distinct reference, order_code from statement
        where type = 'order_charge' and reference not in (
          select reference from supply_orders where status is null or status in (200, 201))""")
    for row in foreign:
        theirs = f"they have it as {row['order_code']}"
        differences.append(f"{row['reference']}: {theirs}, and we do not know it")


# What you ordered before you ask is in the answers. What is in them, you had stored before.
known = "select reference from supply_orders where status in (200, 201)"
ordered = [reference for (reference,) in db.execute(known)]
read_results()
closing, end = read_statement()
judge_statement(closing, end)
judge_orders(end)
judge_own(ordered)
for difference in differences:
    print(difference)
print(f"until {until}: closing balance {Decimal(closing) / 100:.2f}, {len(differences)} differences")
sys.exit(1 if differences else 0)
