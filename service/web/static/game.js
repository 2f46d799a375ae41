// Figures that nobody asked for before are counted while the page is shown already, and put in place once they are there.
"use strict";

const AGAIN_MS = 5000;
const figures = document.querySelector("[data-figures]");
const showMessage = (state) => figures.querySelectorAll("[data-message]").forEach((line) => (line.hidden = line.dataset.message !== state));

async function counted() {
  while (!leaving) {
    try {
      const answer = await fetch(figures.dataset.figures, { cache: "no-store" });
      if (answer.status === 200) {
        const next = new DOMParser().parseFromString(await answer.text(), "text/html").body;
        figures.replaceChildren(...next.childNodes);
        return;
      }
      if (answer.status === 401) location.assign("/sign-in");
      if (answer.status !== 202) {
        showMessage("busy");
        return;
      }
    } catch {
      // The connection is lost, as the page says: asked again when it may be back.
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
counted();
