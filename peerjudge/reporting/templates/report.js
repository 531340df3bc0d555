"use strict";
// Lists and shows the transcripts. Every text is set as text, never as markup.
(() => {
  const PER_PAGE = 25;
  const [ID, CONDITION, QUESTION, SEATING, FLAGS, MOVES, VERDICT, GOLD, STOP, TONES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const NAMES = { "=": "tie", "?": "unreadable", "!": "refused", "-": "no verdict" };
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const index = JSON.parse(find("#index").textContent);
  const sources = all("script.chunk");
  const parsed = new Map();
  const state = { flags: 0, condition: "", query: "", searched: "", hits: null, page: 0, rows: [] };

  const UNPACKED = "DecompressionStream" in window;
  const PACKED = "This browser cannot unpack the texts (it lacks DecompressionStream, which all have had since 2023). Verdicts and filters work; to read and search the texts, open this file in a newer one.";

  async function inflated(source) {
    if (!UNPACKED) throw new Error(PACKED);
    const bytes = Uint8Array.from(atob(source.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  function chunk(number) {
    if (!parsed.has(number)) {
      // A few at a time, so that reading on does not fill the memory.
      if (parsed.size > 40) parsed.delete(parsed.keys().next().value);
      parsed.set(number, inflated(sources[number]));
    }
    return parsed.get(number);
  }

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== null && value !== false && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== ""));
    return node;
  }

  const spoken = (mark) => NAMES[mark] || `answer ${mark}`;
  const tone = (event) => (event === "held" || event === "agreed" ? "held" : "altered");
  // The number is the place in the shown order; the colour belongs to the answer in every order.
  const badge = (mark, row) => {
    const gold = mark === row[GOLD] && mark !== "-";
    const words = gold ? `${spoken(mark)}, gold` : spoken(mark);
    return el("span", { class: gold ? "mark is-gold" : "mark", "data-mark": mark, "data-tone": row[TONES][Number(mark) - 1], role: "img", "aria-label": words, title: words }, mark);
  };

  // ---- choosing rows

  async function matching(query) {
    const wanted = query.toLowerCase();
    const hits = new Set();
    for (let number = 0; number < sources.length && state.query === query; number += 1) {
      const { texts, comparisons, discussions } = await chunk(number);
      const found = new Set();
      texts.forEach((text, at) => { if (text.toLowerCase().includes(wanted)) found.add(at); });
      if (!found.size) continue;
      discussions.forEach((discussion, at) => {
        const [question, , , answers, reference] = comparisons[discussion.comparison];
        const used = [question, ...(reference === null ? [] : [reference]), ...Object.values(answers).map((answer) => answer[1]), ...discussion.turns.map((turn) => turn[0])];
        if (used.some((text) => found.has(text))) hits.add(number * index.chunk + at);
      });
    }
    return hits;
  }

  async function choose() {
    const query = state.query;
    if (query && state.searched !== query) {
      find("#range").textContent = "Searching\u2026";
      const hits = await matching(query);
      if (state.query !== query) return; // the reader has typed on
      Object.assign(state, { searched: query, hits });
    }
    state.rows = [];
    index.rows.forEach((row, at) => {
      const passes = (row[FLAGS] & state.flags) === state.flags
        && (state.condition === "" || row[CONDITION] === Number(state.condition))
        && (!query || state.hits.has(at));
      if (passes) state.rows.push(at);
    });
    state.page = 0;
    show();
  }

  function count() {
    const totals = {};
    for (const row of index.rows) {
      if (state.condition !== "" && row[CONDITION] !== Number(state.condition)) continue;
      for (let flag = 1; flag <= row[FLAGS]; flag *= 2) if (row[FLAGS] & flag) totals[flag] = (totals[flag] || 0) + 1;
    }
    for (const button of all("[data-flag]")) {
      const total = totals[button.dataset.flag] || 0;
      button.querySelector(".count").textContent = total.toLocaleString("en");
      button.disabled = total === 0 && button.getAttribute("aria-pressed") === "false";
    }
  }

  function show() {
    const total = state.rows.length;
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const from = state.page * PER_PAGE;
    const rows = state.rows.slice(from, from + PER_PAGE);
    find("#list").replaceChildren(...rows.map(line));
    find("#list").start = from + 1;
    find("#range").textContent = total
      ? `${(from + 1).toLocaleString("en")} to ${(from + rows.length).toLocaleString("en")} of ${total.toLocaleString("en")}`
      : "No discussion passes these filters.";
    for (const button of all("[data-page]")) {
      const page = state.page + Number(button.dataset.page);
      button.disabled = page < 0 || page >= pages;
    }
  }

  // ---- one discussion

  const seats = (row) => index.seatings[row[SEATING]].map(([reviewer, role, temperature], at, held) => {
    const name = index.reviewers[reviewer];
    const twice = held.filter((other) => other[0] === reviewer).length > 1;
    return { name: twice && temperature !== null ? `${name} at ${temperature}` : name, role };
  });

  function moves(row) {
    const shown = row[MOVES];
    const first = shown.findIndex((move) => !move[2]);
    const marks = shown.flatMap(([, mark], at) => (at === first && at > 0 ? [el("span", { class: "gap" }), badge(mark, row)] : [badge(mark, row)]));
    return el("span", { class: "moves" }, ...marks, el("span", { class: "to", "aria-hidden": "true" }, "\u2192"), row[STOP] === "complete" ? badge(row[VERDICT], row) : el("span", { class: "tag failed" }, row[STOP]));
  }

  // The order is said only where the same answers may be shown in another one.
  const order = (row) => (row[TONES].length < 2 ? "" : `; shown order ${row[TONES].map((tone) => "ABCD"[tone - 1]).join(", ")}`);

  function line(at) {
    const row = index.rows[at];
    // Each name is set apart, so that none turns the direction of what follows.
    const who = seats(row).flatMap((seat, place) => [place ? ", " : ": ", el("bdi", null, seat.name), ` (${seat.role})`]);
    const body = el("div", { class: "body" });
    const details = el("details", { id: `d-${row[ID]}` },
      el("summary", null, el("span", { class: "asked" }, index.questions[row[QUESTION]]), el("span", { class: "who" }, el("bdi", null, index.conditions[row[CONDITION]]), ...who, order(row)), moves(row)), body);
    details.addEventListener("toggle", () => {
      if (details.open && !body.firstChild) fill(body, at);
    });
    return el("li", null, details);
  }

  async function fill(body, at) {
    let parts;
    try {
      parts = discussion(at, await chunk(Math.floor(at / index.chunk)));
    } catch (failure) {
      parts = [el("p", { class: "cut", role: "alert" }, `The texts of this discussion cannot be shown: ${failure.message}`)];
    }
    if (!body.firstChild) body.append(...parts);
  }

  function discussion(at, held) {
    const row = index.rows[at];
    const told = held.discussions[at % index.chunk];
    const [question, category, subset, answers, reference] = held.comparisons[told.comparison];
    const labels = [category, subset].filter(Boolean).join(", ");
    return [
      el("h3", null, "Question"),
      said(held, question),
      ...(reference === null ? [] : [el("h3", null, "Reference answer"), said(held, reference)]),
      el("div", { class: "answers" }, ...told.shown.map((id, place) => answer(held, answers[id], String(place + 1), row))),
      timeline(row, told.turns),
      el("ol", { class: "turns" }, ...told.turns.map((turn, place) => spokenTurn(held, turn, row, place))),
      told.failure ? el("p", { class: "said" }, el("span", { class: "tag failed" }, "failed"), ` ${told.failure}`) : "",
      el("p", { class: "cut" }, `${told.protocol} \u00b7 `, labels ? el("bdi", null, labels) : "", `${labels ? " \u00b7 " : ""}discussion ${row[ID]} \u00b7 `, el("a", { href: `#d-${row[ID]}` }, "link to this")),
    ];
  }

  function said(held, number) {
    const text = held.texts[number];
    const block = el("p", { class: "said", dir: "auto" }, text);
    const whole = held.lengths[number];
    const parts = [block];
    if (text.length > 1500) {
      const more = el("button", { type: "button", class: "more", "aria-expanded": "false" }, "Show all");
      block.classList.add("long");
      more.addEventListener("click", () => {
        const long = block.classList.toggle("long");
        more.textContent = long ? "Show all" : "Show less";
        more.setAttribute("aria-expanded", String(!long));
      });
      parts.push(more);
    }
    if (whole) parts.push(el("p", { class: "cut" }, `The text goes on: ${(whole - text.length).toLocaleString("en")} more characters are kept in the run, not in this file.`));
    const box = document.createDocumentFragment();
    box.append(...parts);
    return box;
  }

  function answer(held, [author, text], mark, row) {
    const gold = mark === row[GOLD];
    const box = el("div", { class: gold ? "answer gold" : "answer" },
      el("div", { class: "head" }, badge(mark, row), el("b", null, `Answer ${mark}`), author ? el("bdi", null, author) : "", gold ? el("span", { class: "tag gold" }, "gold") : ""));
    box.append(said(held, text));
    return box;
  }

  // Turns are counted from 1 after the private reviews, as everywhere in the report.
  const turnName = (row, at) => (row[MOVES][at][2] ? "private" : `turn ${row[MOVES].slice(0, at + 1).filter((move) => !move[2]).length}`);

  function timeline(row, turns) {
    const shown = row[MOVES];
    const heads = shown.map((_, at) => el("th", { scope: "col" }, turnName(row, at)));
    const cell = (mark, at) => {
      const event = turns[at][3];
      return el("td", null, badge(mark, row), event && event !== "agreed" ? el("small", { class: tone(event) }, event) : "");
    };
    const lines = seats(row).map((seat, place) => el("tr", null, el("th", { scope: "row" }, el("bdi", null, seat.name), ` ${seat.role}`),
      ...shown.map(([who, mark], at) => (who === place ? cell(mark, at) : el("td")))));
    const caption = row[GOLD] === "-" ? "Verdicts by turn" : "Verdicts by turn, ringed where they name gold";
    return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Verdicts by turn" }, el("table", { class: "timeline" }, el("caption", null, caption),
      el("thead", null, el("tr", null, el("td"), ...heads)), el("tbody", null, ...lines)));
  }

  function spokenTurn(held, [text, task, model, event, moved, inner = []], row, place) {
    const [who, mark, alone] = row[MOVES][place];
    const seat = seats(row)[who];
    const item = el("li", { class: "turn", "data-seat": String(who % 3) },
      el("div", { class: "head" }, el("b", null, el("bdi", null, seat.name)), alone ? "private review" : `${seat.role}, ${turnName(row, place)}`, badge(mark, row),
        event ? el("span", { class: `tag ${tone(event)}` }, event) : "", moved ? el("span", null, `${moved === "away" ? "away from" : "towards"} gold`) : "",
        model ? el("bdi", null, model) : "", el("span", null, task)));
    item.append(said(held, text));
    if (inner.length) {
      const messages = inner.map(([source, kind, words]) => {
        const line = el("li", null, source ? el("b", null, el("bdi", null, source)) : "", ` ${kind}`);
        line.append(said(held, words));
        return line;
      });
      item.append(el("details", null, el("summary", null, `Inner talk (${inner.length}), not shown to other seats`), el("ol", null, ...messages)));
    }
    return item;
  }

  // ---- links into the list

  async function follow() {
    const wanted = location.hash.startsWith("#d-") ? location.hash.slice(3) : "";
    const at = wanted ? index.rows.findIndex((row) => row[ID] === wanted) : -1;
    if (at < 0) return;
    let place = state.rows.indexOf(at);
    if (place < 0) { await clear(); place = state.rows.indexOf(at); }
    state.page = Math.floor(place / PER_PAGE);
    show();
    const details = document.getElementById(`d-${wanted}`);
    details.open = true;
    details.scrollIntoView();
  }

  async function clear() {
    Object.assign(state, { flags: 0, condition: "", query: "" });
    all("[data-flag]").forEach((button) => button.setAttribute("aria-pressed", "false"));
    find("#condition").value = "";
    find("#search").value = "";
    count();
    await choose();
  }

  // ---- listening

  let pending = 0;
  find("#search").addEventListener("input", (event) => {
    clearTimeout(pending);
    pending = setTimeout(() => { state.query = event.target.value.trim(); choose(); }, 200);
  });
  find("#condition").append(...index.conditions.map((name, at) => el("option", { value: String(at) }, name)));
  find("#condition").addEventListener("change", (event) => { state.condition = event.target.value; count(); choose(); });
  for (const button of all("[data-flag]")) {
    button.addEventListener("click", () => {
      state.flags ^= Number(button.dataset.flag);
      button.setAttribute("aria-pressed", String((state.flags & Number(button.dataset.flag)) !== 0));
      choose();
    });
  }
  for (const button of all("[data-page]")) {
    button.addEventListener("click", () => {
      state.page += Number(button.dataset.page);
      show();
      if (button.closest(".after")) find("#browse").scrollIntoView();
    });
  }
  addEventListener("hashchange", follow);
  if (!UNPACKED) {
    find("#search").disabled = true;
    find("#browse").prepend(el("p", { class: "notice" }, PACKED));
  }
  find("#browse").hidden = false;
  count();
  choose();
  follow();
})();
