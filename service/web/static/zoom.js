// Pictures enlarged in a dialog: wheel, pinch, drag, + and -, arrows; without this script their links open them whole.
const dialog = document.getElementById("zoom");
const stage = dialog.querySelector(".zoom-stage");
const image = stage.querySelector("img");
const MOST = 32;
let [x, y, scale, least] = [0, 0, 1, 1];
const touching = new Map();

function draw() {
  const { clientWidth: width, clientHeight: height } = stage;
  scale = Math.max(least, Math.min(least * MOST, scale));
  // What is smaller than the stage stands in its middle, what is larger leaves no gap at its sides.
  const held = (at, size, room) => (size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at)));
  x = held(x, image.naturalWidth * scale, width);
  y = held(y, image.naturalHeight * scale, height);
  image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
}
function enlarge(by, atX = stage.clientWidth / 2, atY = stage.clientHeight / 2) {
  const before = scale;
  scale = Math.max(least, Math.min(least * MOST, scale * by));
  x = atX - ((atX - x) * scale) / before;
  y = atY - ((atY - y) * scale) / before;
  draw();
}
function show(view) {
  const { clientWidth: width, clientHeight: height } = stage;
  least = Math.min(width / image.naturalWidth, height / image.naturalHeight);
  scale = least;
  if (view) {
    const [left, top, wide, high] = view.split(" ").map(Number);
    scale = Math.max(least, Math.min(least * MOST, width / wide, height / high));
    x = width / 2 - (left + wide / 2) * scale;
    y = height / 2 - (top + high / 2) * scale;
  }
  draw();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-zoom]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const drawn = link.querySelector("img, svg");
  image.alt = (drawn && (drawn.alt || drawn.getAttribute("aria-label"))) || link.textContent.trim();
  image.onload = () => show(link.dataset.zoom);
  image.src = link.href;
  dialog.showModal();
  stage.focus();
});
dialog.addEventListener("click", (event) => {
  const by = Number(event.target.dataset.zoomBy);
  if (by) enlarge(by);
});
dialog.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (step) {
    x += step[0];
    y += step[1];
    draw();
  } else if (event.key === "+" || event.key === "=") enlarge(1.5);
  else if (event.key === "-") enlarge(1 / 1.5);
  else return;
  event.preventDefault();
});
stage.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    enlarge(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);
stage.addEventListener("pointerdown", (event) => {
  stage.setPointerCapture(event.pointerId);
  touching.set(event.pointerId, [event.clientX, event.clientY]);
});
stage.addEventListener("pointermove", (event) => {
  const from = touching.get(event.pointerId);
  if (!from) return;
  const to = [event.clientX, event.clientY];
  const other = [...touching].find(([id]) => id !== event.pointerId);
  touching.set(event.pointerId, to);
  if (other) {
    const apart = (point) => Math.hypot(point[0] - other[1][0], point[1] - other[1][1]);
    const box = stage.getBoundingClientRect();
    const middle = [(to[0] + other[1][0]) / 2 - box.left, (to[1] + other[1][1]) / 2 - box.top];
    if (apart(from)) enlarge(apart(to) / apart(from), ...middle);
  } else {
    x += to[0] - from[0];
    y += to[1] - from[1];
    draw();
  }
});
for (const ended of ["pointerup", "pointercancel"]) {
  stage.addEventListener(ended, (event) => touching.delete(event.pointerId));
}
addEventListener("resize", () => dialog.open && show());
