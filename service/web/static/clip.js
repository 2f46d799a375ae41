// Plays pictures as they were taken, or all of them in so many seconds: single ones, and those of clips, which are ZIPs of
// JPEGs, each named by when it was taken. Without this script a ZIP can be downloaded.
"use strict";

const LOOP_MS = 5000;
const SAME_MS = 500;

/** The pictures of a ZIP that stores them as they are, in order, each with its moment. */
function picturesIn(buffer) {
  const bytes = new DataView(buffer);
  const end = buffer.byteLength - 22;
  if (end < 0 || bytes.getUint32(end, true) !== 0x06054b50) throw new Error("no clip");
  const found = [];
  let at = bytes.getUint32(end + 16, true);
  for (let left = bytes.getUint16(end + 10, true); left > 0; left -= 1) {
    const [named, extra, comment] = [28, 30, 32].map((offset) => bytes.getUint16(at + offset, true));
    const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, named));
    const local = bytes.getUint32(at + 42, true);
    const begin = local + 30 + bytes.getUint16(local + 26, true) + bytes.getUint16(local + 28, true);
    const jpeg = new Uint8Array(buffer, begin, bytes.getUint32(at + 20, true));
    const [year, month, ...rest] = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name).slice(1).map(Number);
    found.push({ taken: Date.UTC(year, month - 1, ...rest), blob: new Blob([jpeg], { type: "image/jpeg" }) });
    at += 46 + named + extra + comment;
  }
  return found;
}

function clip(figure) {
  const canvas = figure.querySelector("canvas");
  const [bar, keys] = [figure.querySelector(".clip-bar"), figure.querySelector(".clip-keys")];
  const scrub = bar.querySelector("input");
  const time = bar.querySelector("output");
  const play = keys.querySelector("[data-play]");
  const speed = keys.querySelector("select");
  const loop = keys.querySelector("input");
  const repeats = () => Boolean(loop?.checked);
  const marks = figure.querySelector(".clip-stages");
  const stages = [...figure.querySelectorAll("[data-taken]")];
  const lasts = Number(figure.dataset.seconds) * 1000;
  const { pictures: single, clips } = JSON.parse(figure.dataset.sources);
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: figure.dataset.zone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 1,
  });
  let pictures = [];
  let shown = 0;
  let timer = null;

  const showMessage = (state) =>
    figure.querySelectorAll("[data-message]").forEach((line) => (line.hidden = line.dataset.message !== state));

  async function show(to) {
    const mine = (shown = Math.max(0, Math.min(pictures.length - 1, to)));
    const words = clock.format(pictures[mine].taken);
    scrub.value = String(mine);
    scrub.setAttribute("aria-valuetext", words);
    time.textContent = words;
    const stage = stages.findLast((each) => Number(each.dataset.taken) <= pictures[mine].taken);
    for (const each of stages) each.toggleAttribute("aria-current", each === stage);
    const drawn = await createImageBitmap(pictures[mine].blob);
    if (mine === shown) {
      [canvas.width, canvas.height] = [drawn.width, drawn.height];
      canvas.getContext("2d").drawImage(drawn, 0, 0);
      canvas.dataset.shown = String(mine);
    }
    drawn.close();
  }
  function pause() {
    clearTimeout(timer);
    timer = null;
    play.setAttribute("aria-pressed", "false");
  }
  /** The first picture of what is repeated: of the last seconds. */
  function loopBegins() {
    const from = pictures[pictures.length - 1].taken - LOOP_MS;
    return pictures.findIndex((picture) => picture.taken >= from);
  }
  async function next() {
    const last = shown === pictures.length - 1;
    if (last && !repeats()) {
      pause();
      return;
    }
    await show(last ? loopBegins() : shown + 1);
    if (timer !== null) wait();
  }
  /** Pictures follow each other as they were taken. */
  function wait() {
    const taken = shown + 1 < pictures.length ? pictures[shown + 1].taken - pictures[shown].taken : 1000;
    const ahead = lasts ? lasts / pictures.length : taken;
    timer = setTimeout(next, Math.max(0, ahead) / Number(speed.value));
  }
  async function begin() {
    play.setAttribute("aria-pressed", "true");
    timer = 0;
    if (repeats()) await show(loopBegins());
    else if (shown === pictures.length - 1) await show(0);
    if (timer !== null) wait();
  }
  function step(by) {
    pause();
    show(shown + by);
  }

  play.addEventListener("click", () => (timer === null ? begin() : pause()));
  loop?.addEventListener("change", () => {
    pause();
    if (repeats()) begin();
  });
  scrub.addEventListener("input", () => {
    pause();
    show(Number(scrub.value));
  });
  keys.addEventListener("click", (event) => {
    const by = event.target.dataset.step;
    if (by) step(Number(by));
  });
  figure.addEventListener("keydown", (event) => {
    const by = { ",": -1, ".": 1 }[event.key];
    if (by && pictures.length && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      step(by);
    }
  });

  async function loaded(src) {
    const answer = await fetch(src);
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  }
  async function load() {
    showMessage("loading");
    try {
      const found = await Promise.all([
        ...single.map(async ({ src, taken }) => [{ taken, blob: await (await loaded(src)).blob() }]),
        ...clips.map(async (src) => picturesIn(await (await loaded(src)).arrayBuffer())),
      ]);
      // Clips of one round overlap.
      const each = new Map(found.flat().map((picture) => [picture.taken, picture]));
      pictures = [...each.values()].sort((one, other) => one.taken - other.taken);
      scrub.max = String(pictures.length - 1);
      await show(lasts ? 0 : pictures.length - 1);
    } catch {
      showMessage("failed");
      return;
    }
    showMessage("");
    for (const part of [canvas, bar, keys, marks]) if (part) part.hidden = false;
    if (lasts) begin();
  }
  for (const each of stages) {
    const at = Number(each.dataset.taken);
    each.addEventListener("click", () => {
      pause();
      // A stage of which no picture is kept is shown as the table was before it.
      show(pictures.findLastIndex((picture) => picture.taken <= at + SAME_MS));
    });
  }
  const button = figure.querySelector("[data-load]");
  if (button) {
    button.addEventListener("click", () => {
      button.hidden = true;
      load();
    });
    return;
  }
  // A clip is some megabytes: it is fetched once it comes into view.
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) {
      seen.disconnect();
      load();
    }
  });
  seen.observe(figure);
}

document.querySelectorAll(".clip").forEach(clip);
