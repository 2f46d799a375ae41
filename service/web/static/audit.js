// Tiles chosen by clicking on their faces; the fields beside them are what counts.
"use strict";

const palette = document.querySelector(".palette");
const fields = [...document.querySelectorAll("select[data-face]")];

// The chosen face is drawn beside its field.
function draw(field) {
  const face = field.value && palette.querySelector(`button[value="${field.value}"] svg`);
  field.parentElement.querySelector(".chosen").replaceChildren(...(face ? [face.cloneNode(true)] : []));
}

if (palette) {
  palette.hidden = false;
  palette.addEventListener("click", (event) => {
    const face = event.target.closest("button[type=button]");
    const next = fields.find((field) => !field.value);
    if (!face || !next) return;
    next.value = face.value;
    draw(next);
  });
  palette.closest("form").addEventListener("reset", () => setTimeout(() => fields.forEach(draw)));
  for (const field of fields) {
    field.addEventListener("change", () => draw(field));
    draw(field);
  }
}
