"""Every result of a table once, in ten lines: `HOUSEWAY_KEY=... python poller.py http://localhost:8000`.

What is done with a result and the cursor belong in one transaction of your own; here that is one file, moved into place
as a whole. See houseway_client.py for a client that tries again by itself.
"""

import os
import pathlib
import sys

import httpx2

kept = pathlib.Path("cursor")
since = kept.read_text() if kept.exists() else None
client = httpx2.Client(
    base_url=sys.argv[1], headers={"Authorization": f"Bearer {os.environ.get('HOUSEWAY_KEY', '')}"}, timeout=90
)
while True:
    page = (
        client.get("/v1/results", params={"wait": 60} | ({"since": since} if since else {})).raise_for_status().json()
    )
    for result in page["results"]:
        print(result["seq"], result["round"]["id"], result["round"]["revision"], result["round"]["status"], flush=True)
    since = page["next"]
    kept.with_suffix(".new").write_text(since)
    kept.with_suffix(".new").replace(kept)
