// Passkeys: a form with `data-passkey` asks for a challenge, has the browser sign it, and sends the answer.
"use strict";

const BINARY = ["rawId", "attestationObject", "authenticatorData", "clientDataJSON", "signature", "userHandle"];

function bytes(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (one) => one.charCodeAt(0));
}

function text(buffer) {
  const raw = Array.from(new Uint8Array(buffer), (one) => String.fromCharCode(one)).join("");
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function read(options) {
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const one of options.allowCredentials ?? options.excludeCredentials) one.id = bytes(one.id);
  return { publicKey: options };
}

function written(made) {
  const response = {};
  for (const name of BINARY) if (made.response[name]) response[name] = text(made.response[name]);
  return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, response, clientExtensionResults: {} });
}

async function sign(form) {
  const fields = new URLSearchParams(new FormData(form));
  fields.set("do", "challenge");
  const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
  const options = await answer.json();
  if (!answer.ok) throw new Error(options.detail);
  const asked = read(options);
  form.elements.passkey.value = written(await (asked.publicKey.user ? navigator.credentials.create(asked) : navigator.credentials.get(asked)));
  form.submit();
}

const SAID = {
  NotAllowedError: "No passkey was used: it was canceled, took too long, or there is none for this service here.",
  InvalidStateError: "This passkey is registered already.",
};

for (const form of window.PublicKeyCredential ? document.querySelectorAll("form[data-passkey]") : []) {
  const said = form.querySelector(".wrong");
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    said.hidden = true;
    sign(form).catch((error) => {
      said.textContent = SAID[error.name] ?? error.message;
      said.hidden = false;
    });
  });
}
