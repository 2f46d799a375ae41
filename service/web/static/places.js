// The places of the table over the felt: dragged with a pointer, or written as numbers; the numbers are what counts.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const KNOB_MM = 16;
const MIN_MM = 64;
const felt = document.getElementById("felt");
const rows = [...document.querySelectorAll("tr[data-place]")];

const field = (row, name) => row.querySelector(`[name="${row.dataset.place}.${name}"]`);
const read = (row) => Object.fromEntries(["x", "y", "width", "depth", "angle"].map((name) => [name, Number(field(row, name).value)]));
function write(row, place) {
  for (const [name, value] of Object.entries(place)) field(row, name).value = value.toFixed(1);
  draw(row);
}

// The picture's y runs down, the table's up.
function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(felt.getScreenCTM().inverse());
  return { x: point.x, y: -point.y };
}
function turned({ x, y }, degrees) {
  const angle = (degrees * Math.PI) / 180;
  return { x: x * Math.cos(angle) - y * Math.sin(angle), y: x * Math.sin(angle) + y * Math.cos(angle) };
}

const actions = {
  move: (start, from, to) => ({ ...start, x: start.x + to.x - from.x, y: start.y + to.y - from.y }),
  // The opposite corner stays where it is.
  corner: (start, from, to, [u, v]) => {
    const fixed = turned({ x: (-u * start.width) / 2, y: (-v * start.depth) / 2 }, start.angle);
    const reach = turned({ x: to.x - start.x - fixed.x, y: to.y - start.y - fixed.y }, -start.angle);
    const width = Math.max(MIN_MM, u * reach.x);
    const depth = Math.max(MIN_MM, v * reach.y);
    const middle = turned({ x: (u * width) / 2, y: (v * depth) / 2 }, start.angle);
    return { ...start, width, depth, x: start.x + fixed.x + middle.x, y: start.y + fixed.y + middle.y };
  },
  turn: (start, from, to) => {
    const angle = (Math.atan2(to.y - start.y, to.x - start.x) * 180) / Math.PI - 90;
    return { ...start, angle: Math.abs(angle) < 1 ? 0 : angle < -180 ? angle + 360 : angle };
  },
};

function part(kind, attributes, row, action, corner) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (!action) return made;
  made.dataset.action = action;
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    made.setPointerCapture(event.pointerId);
    const start = read(row);
    const from = at(event);
    const drag = (move) => write(row, actions[action](start, from, at(move), corner));
    made.addEventListener("pointermove", drag);
    made.addEventListener("lostpointercapture", () => made.removeEventListener("pointermove", drag), { once: true });
  });
  return made;
}

const shapes = new Map();
function shape(row) {
  const group = document.createElementNS(SVG, "g");
  group.classList.add("zone");
  group.dataset.place = row.dataset.place;
  group.append(part("rect", { class: "body" }, row, "move"), part("text", {}));
  group.lastChild.textContent = row.querySelector("th").textContent;
  for (const corner of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) group.append(part("circle", { class: "knob", r: KNOB_MM }, row, "corner", corner));
  group.append(part("circle", { class: "knob turn", r: KNOB_MM }, row, "turn"));
  felt.append(group);
  row.addEventListener("input", () => draw(row));
  row.addEventListener("focusin", () => group.classList.add("chosen"));
  row.addEventListener("focusout", () => group.classList.remove("chosen"));
  return group;
}
function draw(row) {
  const group = shapes.get(row);
  const place = read(row);
  group.toggleAttribute("hidden", !field(row, "there").checked);
  group.setAttribute("transform", `translate(${place.x} ${-place.y}) rotate(${-place.angle})`);
  const [body, text, ...knobs] = group.children;
  const [halfWidth, halfDepth] = [place.width / 2, place.depth / 2];
  for (const [name, value] of Object.entries({ x: -halfWidth, y: -halfDepth, width: place.width, height: place.depth })) body.setAttribute(name, value);
  text.setAttribute("y", halfDepth - 14);
  [[-1, 1], [1, 1], [1, -1], [-1, -1]].forEach(([u, v], index) => {
    knobs[index].setAttribute("cx", u * halfWidth);
    knobs[index].setAttribute("cy", v * halfDepth);
  });
  knobs[4].setAttribute("cy", -halfDepth - 2 * KNOB_MM);
}
for (const row of rows) {
  shapes.set(row, shape(row));
  draw(row);
}
