"use strict";
// Keeps open pages up to date, and adds keys. Every page reads without it.
(() => {
  const find = (selector) => document.querySelector(selector);
  const PERIOD = 1000;
  const fetched = async (url) => {
    const response = await fetch(url, { credentials: "same-origin" });
    return response.status === 200 ? response.text() : null;
  };
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  // ---- changes

  async function renewRun(part) {
    const text = await fetched(`${part.dataset.live}?version=${encodeURIComponent(part.dataset.version)}`);
    const fresh = text && parsed(text).getElementById("live");
    if (fresh && !part.contains(document.activeElement)) part.replaceWith(fresh);
  }

  async function renewTurns(part) {
    const version = await fetched(part.dataset.part);
    if (version === null || version === part.dataset.version) return;
    const text = await fetched(location.href);
    const fresh = text && parsed(text).getElementById("turns");
    if (fresh && !part.contains(document.activeElement)) part.replaceWith(fresh);
  }

  async function countNews(link) {
    const total = Number(await fetched(link.dataset.news));
    const more = total - Number(link.dataset.total);
    link.hidden = !(more > 0);
    if (more > 0) link.textContent = `${more.toLocaleString("en")} more now: load again`;
  }

  async function look() {
    if (document.visibilityState === "visible") {
      try {
        const [live, turns, news] = [find("[data-live]"), find("[data-part]"), find("[data-news]")];
        if (live) await renewRun(live);
        if (turns) await renewTurns(turns);
        if (news) await countNews(news);
      } catch { /* The server may have ended; the page stays as it is. */ }
    }
    setTimeout(look, PERIOD);
  }
  if (find("[data-live], [data-part], [data-news]")) setTimeout(look, PERIOD);

  if (find("[data-pending]")) setTimeout(() => location.reload(), 1500);

  // ---- keys

  const STORED = "peerjudge-keys";
  const stored = () => { try { return localStorage.getItem(STORED); } catch { return null; } };
  const dialog = find("#keys");
  const toggle = find("#keys-on");
  toggle.checked = stored() !== "off";
  toggle.addEventListener("change", () => { try { localStorage.setItem(STORED, toggle.checked ? "on" : "off"); } catch { /* not kept */ } });
  find(".keys").hidden = false;

  function step(by) {
    const items = [...document.querySelectorAll(".list .item, .turn")];
    if (!items.length) return;
    const at = items.findIndex((item) => item === document.activeElement || item.contains(document.activeElement));
    const next = items[Math.min(items.length - 1, Math.max(0, at + by))];
    if (next.tagName !== "A") next.tabIndex = -1;
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  const actions = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => find("input[type=search]")?.focus(),
    "[": () => find("[data-key='[']")?.click(),
    "]": () => find("[data-key=']']")?.click(),
    l: () => find("[data-key='l']")?.click(),
    "?": () => dialog.showModal(),
  };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
    if (!toggle.checked && event.key !== "?") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
