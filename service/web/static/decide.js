// Deciding by keys, and the question in sight; without this script its buttons and links do the same.
const question = document.querySelector(".question");
const toggle = question && question.querySelector("[data-keys]");
const keysOn = () => localStorage.getItem("keys") !== "off";

// A decision needs a reading and a reason: said here at once, and by the service in any case.
function complete(form, pressed) {
  const reason = form.querySelector("[name=because]:checked") || form.querySelector("[name=more]").value.trim();
  const lacking = !pressed.name ? "choice" : reason ? "" : "because";
  for (const each of form.querySelectorAll("[data-lacking]")) each.hidden = each.dataset.lacking !== lacking;
  if (lacking) form.querySelector(`[name=${lacking}]`).focus();
  return !lacking;
}
function tell() {
  toggle.setAttribute("aria-pressed", keysOn());
  question.classList.toggle("keyless", !keysOn());
  question.querySelector(".keys").hidden = !keysOn();
}

if (question) {
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    localStorage.setItem("keys", keysOn() ? "off" : "on");
    tell();
  });
  tell();
  question.querySelector("form").addEventListener("submit", (event) => {
    if (!complete(event.target, event.submitter)) event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (!keysOn() || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.matches("input:not([type=radio]), select, textarea") || document.querySelector("dialog[open]")) return;
    const meant = question.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!meant) return;
    event.preventDefault();
    meant.focus();
    meant.click();
  });
  const { top, bottom } = question.getBoundingClientRect();
  if (!location.hash && (top < 0 || bottom > innerHeight)) question.scrollIntoView();
  question.focus({ preventScroll: true });
}
