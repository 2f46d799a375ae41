// Keeps a page of the floor in step: news arrives as server-sent events, what changed is fetched and put in place.
"use strict";

const lost = document.getElementById("lost");
const at = document.body.dataset.part;
const csrf = document.querySelector("meta[name=csrf-token]").content;
let etag = null;
let busy = false;
let again = false;

async function refresh() {
  if (!at || document.hidden) return;
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(at, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (answer.status === 401) location.reload();
    lost.hidden = answer.ok || answer.status === 304;
    if (answer.ok) {
      etag = answer.headers.get("ETag");
      swap(new DOMParser().parseFromString(await answer.text(), "text/html").body);
    }
  } catch {
    lost.hidden = false;
  }
  busy = false;
  if (again) {
    again = false;
    refresh();
  }
}

// What did not change is neither redrawn nor read out again, and who had the focus on something keeps it.
function swap(fresh) {
  for (const part of document.querySelectorAll("#part [data-part]")) {
    const next = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!next || next.outerHTML === part.outerHTML) continue;
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    const key = held?.closest("[data-key]")?.dataset.key;
    const link = held?.getAttribute("href");
    const known = new Map([...part.querySelectorAll(":scope > [data-key]")].map((one) => [one.dataset.key, one]));
    for (const one of next.querySelectorAll(":scope > [data-key]")) {
      const before = known.get(one.dataset.key);
      if (before && before.outerHTML === one.outerHTML) one.replaceWith(before);
    }
    part.replaceWith(next);
    if (!held) continue;
    const same = key ? `[data-key="${CSS.escape(key)}"] ${held.tagName}` : link ? `[href="${CSS.escape(link)}"]` : null;
    ((same && next.querySelector(same)) || document.getElementById("main")).focus();
  }
  ring();
}

// The next table with a problem gets the focus; after the last one the first.
addEventListener("keydown", (event) => {
  const problems = [...document.querySelectorAll(".floor-tile:not(.is-well, .is-standby)")];
  if (event.key !== "F9" || event.repeat || !problems.length) return;
  event.preventDefault();
  problems[(problems.indexOf(document.activeElement) + 1) % problems.length].focus();
});

// A picture that its table removed, or that cannot be fetched now, is replaced by words.
async function tellMissing(picture) {
  const src = picture.getAttribute("src") || picture.getAttribute("href") || "";
  if (!src.startsWith("/v1/evidence/")) return;
  const answer = await fetch(src, { cache: "no-store" }).catch(() => null);
  if (answer && answer.ok) return;
  const words = document.createElement("p");
  words.className = "quiet missing";
  words.textContent = answer && answer.status === 404 ? document.body.dataset.removed : document.body.dataset.away;
  // What cannot be seen is not confirmed among others.
  picture.closest("li")?.querySelector('input[name="tick"]')?.closest("label").remove();
  (picture.closest("figure") || picture.closest("a") || picture).replaceWith(words);
}
addEventListener("error", (event) => event.target instanceof Element && tellMissing(event.target), true);
for (const picture of document.querySelectorAll('img[src^="/v1/evidence/"]')) {
  if (picture.complete && picture.naturalWidth === 0) tellMissing(picture);
}

const news = new EventSource("/v1/events?recorded=false");
news.addEventListener("tables", refresh);
setInterval(refresh, 30_000); // times such as "2 min ago" change without news
news.onopen = () => {
  lost.hidden = true;
};
news.onerror = () => {
  lost.hidden = false;
  // Refused for good: asking says whether to sign in again.
  if (news.readyState === EventSource.CLOSED) refresh();
};
addEventListener("pagehide", () => news.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
document.addEventListener("visibilitychange", refresh);

// Who has taken a round keeps it as long as the page is open and looked at.
const claim = document.querySelector("[data-claim]")?.dataset.claim;
if (claim) {
  setInterval(() => {
    if (!document.hidden) fetch(claim, { method: "POST", headers: { "X-CSRF-Token": csrf } }).catch(() => null);
  }, 60_000);
}

// Report use now and then: a page that only shows the tables is signed out after some hours.
let used = Date.now();
for (const act of ["pointerdown", "keydown"]) {
  addEventListener(act, () => {
    if (Date.now() - used < 300_000) return;
    used = Date.now();
    fetch("/account/used", { method: "POST", headers: { "X-CSRF-Token": csrf } }).catch(() => null);
  });
}
