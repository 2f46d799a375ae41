"""Every result of a table, each once: `HOUSEWAY_KEY=... python poller.py http://localhost:8000 results.db`.

Result and cursor are one row, so neither is ever kept without the other. A record that was restored from a copy has
other results under old numbers: the cursor has a part of the hash, so these are rows of their own and nothing is lost.
"""

import argparse
import json
import os
import sqlite3
import sys
import time

import httpx2

parser = argparse.ArgumentParser(
    description="Keep every result of a table.", epilog="HOUSEWAY_KEY: a key of the service."
)
parser.add_argument("address", help="of the service, such as http://localhost:8000")
parser.add_argument("database", help="SQLite file to keep the results in; created if missing")
options = parser.parse_args()
key = os.environ.get("HOUSEWAY_KEY") or parser.error("set HOUSEWAY_KEY to a key of the service: houseway key add")
kept = sqlite3.connect(options.database)
kept.execute("CREATE TABLE IF NOT EXISTS results (cursor TEXT PRIMARY KEY, seq INTEGER NOT NULL, round TEXT NOT NULL)")
kept.execute("CREATE TABLE IF NOT EXISTS checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), note TEXT)")
client = httpx2.Client(base_url=options.address, headers={"Authorization": f"Bearer {key}"}, timeout=90)
since = next(iter(kept.execute("SELECT cursor FROM results ORDER BY rowid DESC LIMIT 1")), (None,))[0]
while True:
    try:
        answer = client.get("/v1/results", params={"wait": 30, **({"since": since} if since else {})})
        if answer.status_code == 409:  # the record lacks what we have: say so, and go on from where it tells us
            if answer.json()["code"] == "foreign_cursor":
                note = kept.execute("SELECT note FROM checkpoint").fetchone() or sys.exit(answer.json()["detail"])
                client.post("/v1/record/seen", json={"checkpoint": note[0]}).raise_for_status()
                continue
            print(answer.json()["detail"], file=sys.stderr)
            since = answer.json()["go_on"]
            continue
        page = answer.raise_for_status().json()
    except httpx2.HTTPError as error:  # away, or starting
        print(error, file=sys.stderr)
        time.sleep(1)
        continue
    with kept:
        kept.executemany(
            "INSERT OR IGNORE INTO results VALUES (?, ?, ?)",
            [(each["cursor"], each["seq"], json.dumps(each["round"])) for each in page["results"]],
        )
        kept.execute("INSERT OR REPLACE INTO checkpoint VALUES (1, ?)", (page["checkpoint"],))
    since = page["next"]
