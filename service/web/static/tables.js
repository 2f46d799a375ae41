// Keeps the page of all tables in step: what changed is fetched every two seconds, and put in place table by table.
"use strict";

const EVERY_MS = 2000;
const lost = document.getElementById("lost");
let etag = null;

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/", { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store", redirect: "manual" });
    if (answer.type === "opaqueredirect") location.reload();
    lost.hidden = answer.ok || answer.status === 304;
    if (!answer.ok) return;
    etag = answer.headers.get("ETag");
    swap(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("tables"));
  } catch {
    lost.hidden = false;
  }
}

// What did not change is neither redrawn nor read out again, and who had the focus on a table keeps it.
function swap(fresh) {
  const tables = document.getElementById("tables");
  if (!fresh || tables.innerHTML === fresh.innerHTML) return;
  const focused = document.activeElement.closest("[aria-labelledby]")?.getAttribute("aria-labelledby");
  const held = tables.contains(document.activeElement);
  const known = new Map([...tables.children].map((one) => [one.getAttribute("aria-labelledby"), one]));
  tables.replaceChildren(
    ...[...fresh.children].map((one) => {
      const before = known.get(one.getAttribute("aria-labelledby"));
      return before && before.outerHTML === one.outerHTML ? before : one;
    }),
  );
  if (held && focused) document.getElementById(focused)?.querySelector("a")?.focus();
}

setInterval(refresh, EVERY_MS);
document.addEventListener("visibilitychange", refresh);
