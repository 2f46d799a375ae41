// Steps through a round's revisions, one at a time; without this script they stand one below the other.
"use strict";

const replay = document.getElementById("replay");
const revisions = [...replay.querySelectorAll(".revision")];
const steps = replay.querySelector(".steps");
const play = steps.querySelector("[data-play]");
const position = steps.querySelector("output");
let shown = revisions.length - 1;
let timer = null;

function step(to) {
  shown = Math.max(0, Math.min(revisions.length - 1, to));
  revisions.forEach((revision, index) => (revision.hidden = index !== shown));
  position.textContent = `${shown + 1} / ${revisions.length}`;
}
function stop() {
  clearInterval(timer);
  timer = null;
  play.setAttribute("aria-pressed", "false");
}
play.addEventListener("click", () => {
  if (timer !== null) {
    stop();
    return;
  }
  step(shown === revisions.length - 1 ? 0 : shown);
  play.setAttribute("aria-pressed", "true");
  timer = setInterval(() => (shown === revisions.length - 1 ? stop() : step(shown + 1)), 1500);
});
steps.addEventListener("click", (event) => {
  const by = event.target.dataset.step;
  if (by) {
    stop();
    step(shown + Number(by));
  }
});
steps.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) {
    stop();
    step(shown + by);
  }
});
if (revisions.length > 1) {
  steps.hidden = false;
  step(shown);
}
