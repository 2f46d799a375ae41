// Passkeys: the browser asks an authenticator, and a form carries its answer as any other field.
"use strict";

async function asked(form) {
  const creating = form.dataset.make;
  const answer = creating
    ? await fetch(creating, {
        method: "POST",
        headers: { "X-CSRF-Token": form.elements.csrf_token.value },
        body: new URLSearchParams({ current: form.elements.current ? form.elements.current.value : "" }),
      })
    : await fetch(`${form.dataset.ask}?next=${encodeURIComponent(form.dataset.next)}`);
  const answered = await answer.json();
  if (!answer.ok) throw new Error(answered.detail);
  const credential = creating
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(answered) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(answered) });
  return JSON.stringify(credential.toJSON());
}

const form = document.getElementById("passkey");
if (form && window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON) {
  form.hidden = false;
  const fault = form.querySelector("[role=alert]");
  const usual = fault.textContent;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.hidden = true;
    try {
      form.elements.credential.value = await asked(form);
      if (form.elements.current) form.elements.current.value = "";
      form.submit();
    } catch (error) {
      // What the browser says of itself is for programmers.
      fault.textContent = error.name === "Error" ? error.message : usual;
      fault.hidden = false;
    }
  });
}
