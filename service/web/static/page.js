// Keeps the page in step with the table: news arrives as server-sent events, the changed parts are fetched as HTML.
"use strict";

const board = document.getElementById("board");
const lost = document.getElementById("lost");
const table = document.body.dataset.table;
let etag = null;
let busy = false;
let again = false;

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch("/page/board", { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (answer.status === 401) {
      location.assign("/sign-in");
    } else if (answer.ok) {
      etag = answer.headers.get("ETag");
      swap(await answer.text());
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

// Puts the new board in place part by part, so that what did not change is neither redrawn nor read out again.
function swap(html) {
  const next = new DOMParser().parseFromString(html, "text/html").body;
  for (const part of board.querySelectorAll("[data-part]")) {
    const fresh = next.querySelector(`[data-part="${part.dataset.part}"]`);
    // The picture itself is exchanged by show(), never through the board.
    if (part.querySelector("#live") && fresh.querySelector("#live")) continue;
    if (part.innerHTML !== fresh.innerHTML) part.replaceChildren(...fresh.childNodes);
  }
}

// The next picture is loaded beside the one on show and swapped in whole, so the view never blinks.
let newest = 0;
function show(picture) {
  if (picture === newest || document.hidden) return;
  newest = picture;
  const loader = new Image();
  loader.onload = () => {
    const live = document.getElementById("live");
    if (live && picture === newest) live.src = loader.src;
  };
  loader.src = `/v1/tables/${table}/view.jpg?picture=${picture}`;
}

const news = new EventSource("/v1/events");
news.addEventListener("change", (event) => {
  lost.hidden = true;
  show(JSON.parse(event.data).picture);
  refresh();
});
news.onerror = () => {
  lost.hidden = false;
  // Refused for good: asking for the board says whether to sign in anew.
  if (news.readyState === EventSource.CLOSED) refresh();
};
