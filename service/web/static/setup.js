// What changes while a table is set up: pictures and the words beside them, spoken aloud on request.

const PICTURE_MS = 250;
const WORDS_MS = 600;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// The next picture is loaded beside the one on show, so that it never blinks; one that does not come is asked for again.
async function follow(picture) {
  const address = picture.src;
  for (let number = 1; !leaving; number += 1) {
    await pause(PICTURE_MS);
    if (document.hidden || leaving) continue;
    const loader = new Image();
    loader.src = `${address}?look=${number}`;
    try {
      await loader.decode();
      picture.src = loader.src;
    } catch {
      await pause(WORDS_MS);
    }
  }
}

async function poll(region) {
  let etag = null;
  while (!leaving) {
    await pause(WORDS_MS);
    if (document.hidden || leaving) continue;
    try {
      const answer = await fetch(region.dataset.poll, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
      if (answer.status === 401) location.assign("/sign-in");
      if (answer.status !== 200) continue;
      etag = answer.headers.get("ETag");
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").body;
      // What somebody is writing is not taken from under his hands.
      if (region.contains(document.activeElement) && document.activeElement.matches("input")) continue;
      region.replaceChildren(...next.childNodes);
      tell(region);
    } catch {
      // The service is busy or restarts: it is asked again.
    }
  }
}

const voice = document.getElementById("voice");
let spoken = "";
function tell(region) {
  const words = region.querySelector("[data-say]")?.textContent.trim() ?? "";
  if (!voice || voice.getAttribute("aria-pressed") !== "true" || words === spoken) return;
  spoken = words;
  speechSynthesis.cancel();
  const said = new SpeechSynthesisUtterance(words);
  said.lang = document.documentElement.lang;
  speechSynthesis.speak(said);
}
if (voice && window.speechSynthesis) {
  voice.hidden = false;
  voice.addEventListener("click", () => {
    const on = voice.getAttribute("aria-pressed") !== "true";
    voice.setAttribute("aria-pressed", String(on));
    spoken = "";
    if (on) document.querySelectorAll("[data-poll]").forEach(tell);
    else speechSynthesis.cancel();
  });
}

// A browser knows the time zone that somebody is most likely in.
const zone = document.querySelector("[name=time_zone]");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// An address is checked as it is typed: its scheme chooses the kind of camera, and what is shown of it has no password.
const address = document.querySelector("[name=url]");
const typed = document.getElementById("address-typed");
address?.addEventListener("input", () => {
  const text = address.value.trim();
  const kind = [...document.querySelectorAll("[data-schemes]")].find((one) => one.dataset.schemes.split(" ").some((scheme) => text.startsWith(scheme)));
  if (kind) kind.checked = true;
  // A browser finds the host only in addresses of schemes that it knows.
  const parts = kind && URL.parse(text.replace(/^[a-z]+:/, "http:"));
  const fault = !text ? "" : !kind ? address.dataset.wrong : !parts?.hostname ? address.dataset.noHost : "";
  address.setCustomValidity(fault);
  typed.hidden = !text;
  typed.classList.toggle("wrong", Boolean(fault));
  const at = parts ? parts.host + parts.pathname : "";
  const user = parts?.username ? decodeURIComponent(parts.username) : "";
  typed.textContent = fault || (user ? typed.dataset.as.replace("{user}", user).replace("{host}", at) : at);
});
// Only an address that is used is checked.
document.querySelectorAll("[name=source]").forEach((one) => one.addEventListener("change", () => {
  if (one.dataset.schemes) address.dispatchEvent(new Event("input"));
  else address?.setCustomValidity("");
}));

document.querySelectorAll("img[data-live]").forEach(follow);
document.querySelectorAll("[data-poll]").forEach(poll);
