// Has this telephone notified of alarms: the browser subscribes at its push service, and the service keeps where to.
"use strict";

const telephone = document.getElementById("this-telephone");
const fault = telephone.querySelector("[role=alert]");

async function subscribe() {
  const worker = await navigator.serviceWorker.ready;
  const { key } = await (await fetch("/account/telephones/key")).json();
  // One that was made with another key of the service cannot be used.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const answer = await fetch("/account/telephones", {
    method: "POST",
    headers: { "X-CSRF-Token": telephone.dataset.token, "Content-Type": "application/json" },
    body: JSON.stringify(made),
  });
  if (!answer.ok) throw new Error((await answer.json()).detail);
}

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  navigator.serviceWorker.register("/worker.js");
  telephone.querySelector("[data-cannot]").hidden = true;
  const add = telephone.querySelector("button");
  add.hidden = false;
  add.addEventListener("click", async () => {
    fault.hidden = add.disabled = true;
    try {
      if ((await Notification.requestPermission()) !== "granted") throw new Error(telephone.dataset.refused);
      await subscribe();
      location.reload();
    } catch (error) {
      // What the browser says of itself is for programmers.
      fault.textContent = error.name === "Error" ? error.message : telephone.dataset.failed;
      fault.hidden = add.disabled = false;
    }
  });
}
