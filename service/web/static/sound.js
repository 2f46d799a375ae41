// The sound of alarms, of a table and of a floor; whoever exchanges parts of the page calls ring().
"use strict";

// The sound: two short tones every two seconds, higher for a wrong hand, until all alarms that last are answered.
const TONES = {
  house_hand_wrong: [880, 660],
  procedure: [740, 740],
  health: [520, 390],
  needs_review: [620, 620],
};
const sound = document.getElementById("sound");
let audio = null;
let bell = null;

// What nobody answered, the worst: the part of the page that says so may be exchanged for a newer one.
function urgent() {
  return document.querySelector("[data-alarm]")?.dataset.alarm;
}
function wanted() {
  return localStorage.getItem("sound") !== "off";
}
function tone(hertz, at) {
  const pitch = audio.createOscillator();
  const level = audio.createGain();
  pitch.frequency.value = hertz;
  level.gain.setValueAtTime(0, at);
  level.gain.linearRampToValueAtTime(0.25, at + 0.02);
  level.gain.linearRampToValueAtTime(0, at + 0.22);
  pitch.connect(level).connect(audio.destination);
  pitch.start(at);
  pitch.stop(at + 0.25);
}
function strike() {
  const alarm = urgent();
  if (!alarm || !audio || audio.state !== "running") return;
  const [first, second] = TONES[alarm];
  tone(first, audio.currentTime);
  tone(second, audio.currentTime + 0.28);
  sound.dataset.rung = Number(sound.dataset.rung || 0) + 1;
}
function ring() {
  const on = urgent() && audio && audio.state === "running";
  if (on && bell === null) {
    strike();
    bell = setInterval(strike, 2000);
  } else if (!on && bell !== null) {
    clearInterval(bell);
    bell = null;
  }
}
function tell() {
  sound.dataset.on = String(Boolean(audio && audio.state === "running"));
  ring();
}
// A browser lets a page be heard once somebody has touched it, or at once where it is set up so.
async function wake() {
  if (!wanted()) return;
  if (!audio) {
    audio = new AudioContext();
    audio.onstatechange = tell;
  }
  if (audio.state === "suspended") audio.resume();
  tell();
}
if (sound && window.AudioContext) {
  sound.hidden = false;
  sound.addEventListener("click", (event) => {
    event.stopPropagation();
    const on = audio && audio.state === "running";
    localStorage.setItem("sound", on ? "off" : "on");
    if (on) audio.suspend();
    else wake();
  });
  addEventListener("click", wake);
  addEventListener("keydown", wake);
  wake();
}
