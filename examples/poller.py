"""Every result of a table once in ten statements: `HOUSEWAY_KEY=... python poller.py http://localhost:8000 results.db`.

Result and cursor are one row, so neither is ever kept without the other.
"""

import json
import os
import sqlite3
import sys
import time

import httpx2

kept = sqlite3.connect(sys.argv[2])
kept.execute("CREATE TABLE IF NOT EXISTS results (seq INTEGER PRIMARY KEY, cursor TEXT NOT NULL, round TEXT NOT NULL)")
client = httpx2.Client(
    base_url=sys.argv[1], headers={"Authorization": f"Bearer {os.environ['HOUSEWAY_KEY']}"}, timeout=90
)
while True:
    last = kept.execute("SELECT cursor FROM results ORDER BY seq DESC LIMIT 1").fetchone()
    try:
        page = client.get("/v1/results", params={"wait": 30, **({"since": last[0]} if last else {})}).raise_for_status()
    except httpx2.HTTPError as error:  # away, or starting
        print(error, file=sys.stderr)
        time.sleep(1)
        continue
    with kept:
        kept.executemany(
            "INSERT INTO results VALUES (?, ?, ?)",
            [(each["seq"], each["cursor"], json.dumps(each["round"])) for each in page.json()["results"]],
        )
