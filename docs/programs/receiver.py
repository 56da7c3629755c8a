"""Receives webhooks: python3 receiver.py, with verify.py beside it. Python 3.8 or newer.

The secret is in WEBHOOK_SECRET, or in the file that WEBHOOK_SECRET_FILE names, which is read
again for each event and may come later. PORT (4100), HOST (127.0.0.1) and EVENTS (events.db,
which holds keys) may be given too.
"""

import json
import os
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import verify

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "4100"))
EVENTS = os.environ.get("EVENTS", "events.db")
LARGEST_BODY = 10 * 1024 * 1024  # the keys of an order come in one body


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.answer(411)
        if int(length) > LARGEST_BODY:
            return self.answer(413)
        raw_body = self.rfile.read(int(length))
        if len(raw_body) < int(length):
            return  # the sender hung up
        try:
            self.answer(receive(self.headers, raw_body))
        except Exception as error:
            print(f"not stored: {error!r}", file=sys.stderr)
            self.answer(503)  # so that the service sends it again

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def receive(headers, raw_body):
    """Returns the status to answer with."""
    secret = read_secret()
    if not secret:
        return 503  # no secret yet: the service sends the event again
    timestamp, signature = headers["X-Webhook-Timestamp"], headers["X-Webhook-Signature"]
    if not verify(secret, timestamp, signature, raw_body):
        return 401
    event = json.loads(raw_body, parse_float=Decimal)  # never a float for money
    if event["event_id"] != headers["X-Idempotency-Key"]:
        return 401

    # It is stored before the answer. What it causes is for a job of yours that reads the table.
    with closing(sqlite3.connect(EVENTS, timeout=5)) as database, database:
        added = database.execute(
            "insert into events (id, body) values (?, ?) on conflict do nothing",
            (event["event_id"], raw_body),
        )
        is_new = added.rowcount == 1
    if is_new:
        for item in event["data"].get("items", []):
            item.pop("cdKeys", None)
        data = json.dumps(event["data"], default=str, ensure_ascii=False)
        print(event["event_type"], data, flush=True)
    return 200


def read_secret():
    if "WEBHOOK_SECRET_FILE" not in os.environ:
        return os.environ.get("WEBHOOK_SECRET", "")
    try:
        with open(os.environ["WEBHOOK_SECRET_FILE"], encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    os.umask(0o077)
    with closing(sqlite3.connect(EVENTS)) as database, database:
        database.execute(
            "create table if not exists events (id text primary key, body blob not null)"
        )
    server = ThreadingHTTPServer((HOST, PORT), Receiver)
    print(f"listening on http://{HOST}:{PORT}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
