// Keeps a page in step with the table: news arrives as server-sent events, the changed parts are fetched as HTML.
"use strict";

const lost = document.getElementById("lost");
const { table, parts } = document.body.dataset;
const csrf = document.querySelector("meta[name=csrf-token]").content;
const LONGEST_LOAD_MS = 2000;
const STILL_HERE_MS = 10_000;
let etag = null;
let busy = false;
let again = false;
// Somebody ends the session of this page, which asks for nothing more in it.
let leaving = false;

async function refresh() {
  if (leaving) return;
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(parts, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (answer.status === 401) {
      location.assign("/sign-in");
    } else if (answer.ok) {
      etag = answer.headers.get("ETag");
      await swap(await answer.text());
    }
  } catch {
    lost.hidden = leaving;
  }
  busy = false;
  if (again) {
    again = false;
    refresh();
  }
}

// Puts the new parts in place one by one, so that what did not change is neither redrawn nor read out again.
async function swap(html) {
  const next = new DOMParser().parseFromString(html, "text/html").body;
  await loaded(next.querySelector("#live"));
  for (const part of document.querySelectorAll("[data-part]")) {
    const fresh = next.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!fresh) continue;
    if ("alarm" in fresh.dataset) part.dataset.alarm = fresh.dataset.alarm;
    const live = part.querySelector("#live");
    const picture = fresh.querySelector("#live");
    if (live && picture) live.src = picture.src;
    else if (plain(part) !== plain(fresh)) replace(part, fresh);
    else grow(part, fresh);
  }
  ring();
}

// The picture is loaded before anything is exchanged: it is shown with the verdict of its own moment, and never blinks.
// One that does not come holds nothing up, for an alarm must be seen and heard all the same.
function loaded(picture) {
  if (!picture || document.hidden) return null;
  const loader = new Image();
  loader.src = picture.src;
  return Promise.race([loader.decode().catch(() => null), new Promise((done) => setTimeout(done, LONGEST_LOAD_MS))]);
}

// What was unfolded stays so, and who had the focus on something of an alarm keeps it, or goes to the first.
function replace(part, fresh) {
  const open = part.querySelector("details[open]");
  const list = part.querySelector("ul");
  const scrolled = list ? list.scrollTop : 0;
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.closest("[data-key]")?.dataset.key;
  const tag = focused?.tagName;
  part.replaceChildren(...fresh.childNodes);
  if (open) part.querySelector("details")?.setAttribute("open", "");
  if (scrolled) part.querySelector("ul").scrollTop = scrolled;
  if (!focused) return;
  const same = key && part.querySelector(`[data-key="${CSS.escape(key)}"] ${tag}`);
  (same || part.querySelector("button, a, summary") || document.getElementById("main")).focus();
}

// Ages are updated without a new picture.
function grow(part, fresh) {
  const now = fresh.querySelectorAll(".ago");
  part.querySelectorAll(".ago").forEach((ago, index) => {
    if (ago.textContent !== now[index].textContent) ago.textContent = now[index].textContent;
  });
}

// What somebody has unfolded is no change of the table, nor is it that time passes.
function plain(part) {
  const copy = part.cloneNode(true);
  for (const details of copy.querySelectorAll("details")) details.removeAttribute("open");
  for (const ago of copy.querySelectorAll(".ago")) ago.textContent = "";
  return copy.innerHTML;
}

const news = new EventSource("/v1/events?recorded=false");
news.addEventListener("change", (event) => {
  lost.hidden = true;
  if (!table || JSON.parse(event.data).table === table) refresh();
});
news.onerror = () => {
  lost.hidden = false;
  // Refused for good: asking for the board says whether to sign in again.
  if (news.readyState === EventSource.CLOSED) refresh();
};
// A page that is left lets go of its connection at once.
addEventListener("pagehide", () => news.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Whoever signs out takes back what the page has asked and nobody answered: it would be refused.
document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-ends-session")) return;
  leaving = true;
  news.close();
  window.stop();
  setTimeout(() => location.reload(), STILL_HERE_MS); // who thinks better of it is not shown an old state
});

setInterval(refresh, 30_000); // where nothing changes, time passes still

// Report use now and then: a page that only shows the table is signed out after some hours.
const USED_AGAIN_MS = 300_000;
let used = Date.now();
function use() {
  if (Date.now() - used < USED_AGAIN_MS) return;
  used = Date.now();
  fetch("/account/used", { method: "POST", headers: { "X-CSRF-Token": csrf } }).catch(() => null);
}
addEventListener("pointerdown", use);
addEventListener("keydown", use);

// Alarms: an acknowledgement is sent without leaving the page.
addEventListener("keydown", (event) => {
  const first = document.querySelector(".standing .acknowledge button");
  if (event.key !== "F8" || event.repeat || !first) return;
  event.preventDefault();
  first.click();
});
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches(".acknowledge")) return;
  event.preventDefault();
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { "X-CSRF-Token": csrf },
      body: new URLSearchParams(new FormData(form)),
    });
    if (answer.ok) refresh();
    else form.submit(); // the answer says why not
  } catch {
    lost.hidden = false;
  }
});
