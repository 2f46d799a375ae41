// Points clicked in the camera's picture; the numbers beside it are what counts.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const camera = document.getElementById("camera");
const whole = document.getElementById("whole");
const rows = [...document.querySelectorAll("tr[data-point]")];
const field = (row, name) => row.querySelector(`[name="point${row.dataset.point}.${name}"]`);

const marks = new Map(
  rows.map((row) => {
    const mark = document.createElementNS(SVG, "g");
    mark.classList.add("clicked");
    mark.innerHTML = '<path d="M-24 0H24M0 -24V24"/><circle r="14"/><text x="20" y="-20"></text>';
    mark.querySelector("text").textContent = row.dataset.point;
    camera.append(mark);
    row.addEventListener("input", () => draw(row));
    return [row, mark];
  }),
);
function draw(row) {
  const [x, y] = [field(row, "x_px").value, field(row, "y_px").value];
  const mark = marks.get(row);
  mark.toggleAttribute("hidden", x === "" || y === "");
  mark.setAttribute("transform", `translate(${x || 0} ${y || 0})`);
}
rows.forEach(draw);

const chosen = () => rows.findIndex((row) => row.querySelector("[type=radio]").checked);
camera.addEventListener("click", (event) => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(camera.getScreenCTM().inverse());
  const index = chosen();
  field(rows[index], "x_px").value = point.x.toFixed(1);
  field(rows[index], "y_px").value = point.y.toFixed(1);
  draw(rows[index]);
  if (index + 1 < rows.length) rows[index + 1].querySelector("[type=radio]").checked = true;
});
whole.addEventListener("change", () => camera.classList.toggle("whole", whole.checked));
