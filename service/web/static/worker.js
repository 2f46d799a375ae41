// Shows what the service says of alarms while no page is open, and acknowledges an alarm from there.
"use strict";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { title, body, tag, url, image, id, button } = event.data.json();
  const here = (path) => path && new URL(path.slice(1), self.location).href; // a proxy may serve all this under a path
  const lasts = Boolean(id);
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      image: here(image),
      icon: "/static/icon-512.png",
      data: { url: here(url), id },
      actions: lasts ? [{ action: "acknowledge", title: button }] : [],
      renotify: lasts,
      requireInteraction: lasts,
      silent: !lasts,
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  const { url, id } = event.notification.data;
  event.notification.close();
  event.waitUntil(event.action === "acknowledge" ? acknowledge(url, id) : open(url));
});

// Where that is not possible, as after signing out, the page opens and says what to do.
async function acknowledge(url, id) {
  try {
    const page = await (await fetch(url)).text();
    const token = /<meta name="csrf-token" content="([^"]+)"/.exec(page)[1];
    const answer = await fetch("/page/alarms/acknowledge", {
      method: "POST",
      headers: { "X-CSRF-Token": token },
      body: new URLSearchParams({ alarm: id, then: "/" }),
    });
    if (!answer.ok) throw new Error(String(answer.status));
  } catch {
    await open(url);
  }
}

async function open(url) {
  const [page] = await self.clients.matchAll({ type: "window" });
  if (!page) return self.clients.openWindow(url);
  await page.focus();
  return page.navigate(url);
}
