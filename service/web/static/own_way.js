// A chosen file is put into the text that is checked; nothing is sent before the button is pressed.
"use strict";

const form = document.querySelector(".own-way");
const file = form.querySelector("input[type=file]");

file.addEventListener("change", async () => {
  const [chosen] = file.files;
  const isTooLarge = chosen && chosen.size > Number(form.dataset.largest);
  form.querySelector("[data-message]").hidden = !isTooLarge;
  if (chosen && !isTooLarge) form.elements[file.dataset.into].value = await chosen.text();
});
