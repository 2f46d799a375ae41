// The menu of other pages closes when somebody touches the page elsewhere, or presses Escape.
"use strict";

const more = document.querySelector(".bar .more");
addEventListener("pointerdown", (event) => {
  if (!more.contains(event.target)) more.open = false;
});
more.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  more.open = false;
  more.querySelector("summary").focus();
});
