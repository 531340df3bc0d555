"use strict";
// Saves drafts while a person types, and keeps them in the browser until the server has them. Forms work without it.
(() => {
  const find = (selector) => document.querySelector(selector);
  const DRAFT_AFTER = 1000, RETRY_AFTER = 2000, LOOK_EVERY = 2000, IDLE_AFTER = 60000;
  const PREFIX = "peerjudge-desk-";
  const storage = {
    read(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
    write(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* not kept */ } },
    remove(key) { try { localStorage.removeItem(key); } catch { /* not kept */ } },
  };
  const isField = (name) => ["choice", "reason", "confidence"].includes(name) || name.startsWith("slider-");
  const same = (a, b) => [...Object.keys(a), ...Object.keys(b)].filter(isField).every((name) => (a[name] ?? "") === (b[name] ?? ""));
  // The server sends sliders in an object of their own.
  const flatten = (found) => ({ ...found, draft: { ...found.draft, ...found.draft.sliders, sliders: undefined } });

  // ---- list of requests

  const list = find("#tasks");
  async function lookForNew() {
    if (document.visibilityState === "visible") {
      try {
        const response = await fetch("/desk/state", { credentials: "same-origin" });
        const open = response.ok ? (await response.json()).open : Number(list.dataset.open);
        if (open > Number(list.dataset.open)) {
          const link = document.createElement("a");
          link.href = "/desk";
          link.textContent = `${(open - Number(list.dataset.open)).toLocaleString("en")} more now: load again`;
          find("#news").replaceChildren(link);
          find("#news").hidden = false;
        }
      } catch { /* The server may have ended; the page stays as it is. */ }
    }
    setTimeout(lookForNew, LOOK_EVERY);
  }
  if (list) setTimeout(lookForNew, LOOK_EVERY);

  // A form that was sent without a reply is done once the next page says so.
  const done = (find("[data-saved]")?.dataset.saved) || "";
  if (done && storage.read(PREFIX + done)?.sent) storage.remove(PREFIX + done);

  // ---- long texts: the whole text opens with a button; without scripts it is open

  const FOLD_FROM = 1.3; // A fold that hides less than this share costs more than it saves.
  function countWords(text) {
    if (!Intl.Segmenter) return text.split(/\s+/).filter(Boolean).length;
    let words = 0;
    for (const one of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) words += one.isWordLike ? 1 : 0;
    return words;
  }
  function fold(text, place) {
    text.classList.add("folded");
    if (text.scrollHeight < FOLD_FROM * text.clientHeight) { text.classList.remove("folded"); return; }
    const button = document.createElement("button");
    const more = `Show all ${countWords(text.textContent).toLocaleString("en")} words`;
    text.id ||= `text-${place}`;
    Object.assign(button, { type: "button", className: "fold", textContent: more });
    button.setAttribute("aria-controls", text.id);
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => {
      const folded = text.classList.toggle("folded");
      text.scrollTop = 0;
      button.textContent = folded ? more : "Show less";
      button.setAttribute("aria-expanded", String(!folded));
      if (folded) button.scrollIntoView({ block: "nearest" });
    });
    text.after(button);
  }
  document.querySelectorAll("[data-fold]").forEach(fold);

  // ---- form

  const form = find("#form");
  if (!form) return;
  const key = PREFIX + form.dataset.task;
  const fields = form.elements;
  const state = find("#state");
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };
  const numbers = [...form.querySelectorAll("[data-slider]")];
  const aspects = numbers.filter((one) => one.name.startsWith("slider-"));
  const chosen = () => (fields.choice ? [...form.querySelectorAll("[name=choice]")].find((one) => one.checked)?.value ?? "" : "");
  const read = () => ({
    choice: chosen() || (fields.rating ? fields.rating.value.trim() : ""),
    reason: fields.reason.value,
    confidence: fields.confidence ? fields.confidence.value.trim() : "",
    ...Object.fromEntries(aspects.filter((one) => one.value.trim()).map((one) => [one.name, one.value.trim()])),
  });
  function fill(draft) {
    for (const one of form.querySelectorAll("[name=choice]")) one.checked = one.value === draft.choice;
    if (fields.rating) fields.rating.value = /^\d+$/.test(draft.choice) ? draft.choice : "";
    fields.reason.value = draft.reason;
    if (fields.confidence) fields.confidence.value = draft.confidence;
    for (const one of aspects) one.value = draft[one.name] ?? "";
    numbers.forEach(follow);
  }

  // ---- sliders: the number is the field; the slider beside it is for pointers, and unset until it is moved

  const ranges = new Map();
  function follow(number) {
    const range = ranges.get(number);
    if (!range) return;
    const unset = number.value.trim() === "";
    range.classList.toggle("unset", unset);
    range.value = unset ? (Number(range.min) + Number(range.max)) / 2 : number.value;
    range.style.setProperty("--at", `${(100 * (range.value - range.min)) / (range.max - range.min)}%`);
  }
  for (const number of numbers) {
    const range = document.createElement("input");
    Object.assign(range, { type: "range", min: number.min, max: number.max, step: 1, tabIndex: -1, className: "range" });
    range.setAttribute("aria-hidden", "true");
    range.disabled = number.disabled || form.hasAttribute("data-taken");
    number.placeholder = "–";
    const move = () => {
      if (number.value === range.value) return;
      number.value = range.value;
      number.dispatchEvent(new Event("input", { bubbles: true }));
    };
    range.addEventListener("input", (event) => { event.stopPropagation(); move(); });
    range.addEventListener("click", move); // A click on the middle changes nothing, and is an answer.
    number.addEventListener("input", () => follow(number));
    ranges.set(number, range);
    number.after(range); // The first field in a label is the one that it names.
    follow(number);
  }
  let saved = read();
  let version = Number(fields.version.value);
  let newest = null;      // the version of another tab, while it is in conflict with this one
  let unconfirmed = null; // the fields that were sent last and whose reply has not come
  let busy = false, ended = form.hasAttribute("data-taken"), timer = 0, sending = false;

  // ---- active time: the page is visible, with input in the last minute

  let active = 0, lastInput = performance.now(), lastTick = performance.now();
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove"]) {
    addEventListener(name, () => { lastInput = performance.now(); }, { passive: true, capture: true });
  }
  function count() {
    const now = performance.now();
    if (document.visibilityState === "visible" && lastTick - lastInput < IDLE_AFTER) active += now - lastTick;
    lastTick = now;
  }
  setInterval(count, 1000);
  document.addEventListener("visibilitychange", count);

  // ---- drafts

  function pack(draft, base) {
    count();
    const spent = active;
    const body = new URLSearchParams({ csrf: fields.csrf.value, version: base, active: (spent / 1000).toFixed(1), ...draft });
    return [body, spent];
  }
  async function send(url, body, extra = {}) {
    return fetch(url, { method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json" }, ...extra });
  }
  function keep() { storage.write(key, { version, unconfirmed, ...read() }); }
  // The server may have saved what this page sent before its reply was lost.
  function isOwn(found, sent) { return sent !== null && sent !== undefined && !found.taken && same(found.draft, sent); }
  function adopt(found) {
    version = found.version;
    fields.version.value = version;
    saved = found.draft;
    unconfirmed = null;
  }
  function plan(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; save(); }, wait);
  }

  async function save() {
    if (ended || newest || sending) return;
    if (busy) { plan(200); return; }
    const draft = read();
    if (same(draft, saved)) return;
    busy = true;
    const [body, spent] = pack(draft, version);
    const before = unconfirmed;
    unconfirmed = draft;
    keep();
    try {
      const response = await send(`${form.getAttribute("action")}/draft`, body);
      if (response.ok) {
        adopt({ version: (await response.json()).version, draft });
        active -= spent;
        if (same(read(), saved)) { storage.remove(key); say("Draft saved."); } else { keep(); plan(DRAFT_AFTER); }
      } else if (response.status === 409) {
        const found = flatten(await response.json());
        unconfirmed = null;
        if (isOwn(found, before)) { adopt(found); plan(0); } else showOther(found);
      } else if (response.status === 401) {
        say("Not saved: you are signed out. The text is kept in this browser; open the new link from the terminal.");
        plan(RETRY_AFTER);
      } else if (response.status === 422) {
        say((await response.json()).error);
      } else {
        say("Not saved: the server refused the draft. The text is kept in this browser.");
        plan(5 * RETRY_AFTER);
      }
    } catch {
      say("Not saved yet: the server does not answer. The text is kept in this browser.");
      plan(RETRY_AFTER);
    } finally { busy = false; }
  }

  // ---- another tab or process saved another text

  const other = find("#other");
  function showOther(found) {
    newest = found;
    unconfirmed = null;
    other.querySelector("[data-other=choice]").textContent = found.choice;
    other.querySelector("[data-other=reason]").textContent = found.draft.reason;
    other.querySelector(".actions").hidden = found.taken;
    other.hidden = false;
    say(found.taken ? "The run has taken up the other answer; yours cannot be saved." : "Not saved: choose which text to keep.");
    if (found.taken) ended = true;
  }
  other.addEventListener("click", (event) => {
    const kept = event.target.dataset.keep;
    if (!kept || !newest) return;
    adopt(newest);
    if (kept === "other") { fill(saved); storage.remove(key); say("The other text is in the form."); }
    newest = null;
    other.hidden = true;
    fields.reason.focus();
    if (kept === "mine") { keep(); save(); }
  });

  // ---- sending

  async function submit() {
    if (ended || sending) return;
    if (newest) { say("Choose first which text to keep."); other.scrollIntoView({ block: "nearest" }); return; }
    sending = true;
    clearTimeout(timer);
    say("Saving …");
    while (busy) await new Promise((resolve) => setTimeout(resolve, 50));
    const draft = read();
    const before = unconfirmed;
    unconfirmed = draft;
    storage.write(key, { version, unconfirmed, ...draft, sent: true });
    const [body] = pack(draft, version);
    try {
      const response = await send(form.getAttribute("action"), body);
      if (response.ok) {
        const next = (await response.json()).next;
        storage.remove(key);
        ended = true;
        location.assign(next);
        return;
      }
      if (response.status === 409) {
        const found = flatten(await response.json());
        if (isOwn(found, before)) { adopt(found); sending = false; submit(); return; }
        showOther(found);
      }
      else if (response.status === 422) say((await response.json()).error);
      else if (response.status === 401) say("Not saved: you are signed out. The text is kept in this browser; open the new link from the terminal.");
      else say("Not saved: the server refused the answer. The text is kept in this browser.");
      sending = false;
      if (response.status === 422) plan(0);
    } catch {
      say("Not saved yet: the server does not answer. Trying again; the answer is kept in this browser.");
      sending = false;
      setTimeout(submit, RETRY_AFTER);
    }
  }
  form.addEventListener("submit", (event) => {
    if (event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    submit();
  });

  form.addEventListener("input", (event) => {
    if (ended) return;
    // A rating that is typed and "I cannot judge" exclude each other.
    if (event.target.name === "rating") for (const one of form.querySelectorAll("[name=choice]")) one.checked = false;
    if (event.target.name === "choice" && fields.rating) { fields.rating.value = ""; follow(fields.rating); }
    keep();
    say("Not saved yet.");
    if (!timer) plan(DRAFT_AFTER); // Counted from the first change, so that steady typing is saved as well.
  });
  addEventListener("pagehide", () => {
    const draft = read();
    if (ended || newest || sending || same(draft, saved)) return;
    const [body] = pack(draft, version);
    send(`${form.getAttribute("action")}/draft`, body, { keepalive: true }).catch(() => { /* kept in this browser */ });
  });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // ---- text of this browser that the server does not have

  const kept = storage.read(key);
  if (kept && !ended) {
    if (same(kept, saved)) storage.remove(key);
    else if (kept.version === version || isOwn({ draft: saved }, kept.unconfirmed)) { fill(kept); say("Restored from this browser."); plan(0); }
    else {
      const theirs = { version, draft: saved, choice: saved.choice || "nothing yet", taken: false };
      fill(kept);
      showOther(theirs);
    }
  }

  // ---- keys

  const STORED = "peerjudge-keys";
  const toggle = find("#keys-on");
  toggle.checked = storage.read(STORED + "-desk") !== "off";
  const keyed = [...form.querySelectorAll("[data-key]")];
  function showKeys() {
    for (const one of keyed) {
      one.parentElement.querySelector("kbd").hidden = !toggle.checked;
      if (toggle.checked) one.setAttribute("aria-keyshortcuts", one.dataset.key);
      else one.removeAttribute("aria-keyshortcuts");
    }
  }
  showKeys();
  toggle.addEventListener("change", () => { storage.write(STORED + "-desk", toggle.checked ? "on" : "off"); showKeys(); });
  find(".keys").hidden = false;
  // Letters are text in every field that takes text, and a letter in a list of options is a search in it.
  const takesText = (target) => target.isContentEditable
    || (target.matches("input, textarea, select") && !["radio", "checkbox", "range"].includes(target.type));
  document.addEventListener("keydown", (event) => {
    if (!toggle.checked || event.isComposing || event.repeat) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (ended || event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
    const chosen = keyed.find((one) => one.dataset.key === event.key.toLowerCase());
    if (!chosen) return;
    event.preventDefault();
    chosen.focus({ preventScroll: true }); // A screen reader tells what was chosen, and Tab goes on from there.
    if (!chosen.checked) chosen.click();
  });
})();
