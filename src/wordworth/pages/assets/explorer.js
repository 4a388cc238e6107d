"use strict";
// Looking up a word or a pair. Its data is read at the first use, so that the page opens without it.

(() => {
  const { cell, element, number, read, tableOf, unpacked } = wordworth;
  const form = document.getElementById("look-up-form");
  if (!form) return;
  const box = document.getElementById("look-up");
  const known = document.getElementById("known");
  const place = document.getElementById("looked-up");
  let loaded;

  function load() {
    if (loaded) return loaded;
    const data = read("explorer-data");
    const words = new Map();
    const add = (name, kind, row) => {
      const key = name.toLowerCase();
      if (!words.has(key)) words.set(key, { name, rows: new Map() });
      const rows = words.get(key).rows;
      if (rows.has(kind)) rows.get(kind).push(row);
      else rows.set(kind, [row]);
    };
    for (const kind of data.facts) {
      unpacked(kind.table);
      for (let row = 0; row < kind.table.length; row += 1) {
        const names = kind.keys.map((key) => cell(kind.table, key, row)).filter(Boolean);
        // A pair is found under both words together, and under each.
        for (const name of new Set(names.length > 1 ? [names.join(" "), ...names] : names)) add(name, kind, row);
      }
    }
    loaded = { data, words, names: [...words.values()].map((one) => one.name).sort((a, b) => a.length - b.length) };
    mostWrong(data);
    return loaded;
  }

  const SVG = "http://www.w3.org/2000/svg";
  const WIDE = 480, HIGH = 200, LEFT = 36, BELOW = 28;

  function mark(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Lines over the layers, one per context, and the human rating as a line across.
  function chart(rows, word) {
    const layers = Math.max(1, ...rows.map((row) => row.layer));
    const values = rows.flatMap((row) => [row.apart, row.human]);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const x = (layer) => LEFT + (layer / layers) * (WIDE - LEFT - 10);
    const y = (value) => 8 + (1 - (value - low) / (high - low || 1)) * (HIGH - BELOW - 8);
    const svg = mark("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, role: "img", "font-size": 11 });
    svg.append(mark("title", {}, `Effect size of ${word} by layer, in deviations from the mean word`));
    for (const value of [low, 0, high]) {
      svg.append(mark("line", { x1: LEFT, x2: WIDE - 10, y1: y(value), y2: y(value), stroke: "var(--rule)" }));
      svg.append(mark("text", { x: LEFT - 5, y: y(value) + 4, "text-anchor": "end", fill: "var(--muted)" }, number(value)));
    }
    svg.append(mark("text", { x: LEFT, y: HIGH - 6, fill: "var(--muted)" }, "layer 0"));
    svg.append(mark("text", { x: WIDE - 10, y: HIGH - 6, "text-anchor": "end", fill: "var(--muted)" }, `layer ${layers}`));
    const rated = y(rows[0].human);
    svg.append(mark("line", { x1: LEFT, x2: WIDE - 10, y1: rated, y2: rated, stroke: "var(--ink)", "stroke-width": 1.5 }));
    svg.append(mark("text", { x: WIDE - 12, y: rated - 4, "text-anchor": "end", fill: "var(--ink)" }, "human rating"));
    const contexts = [...new Set(rows.map((row) => row.context))];
    contexts.forEach((context, at) => {
      const own = rows.filter((row) => row.context === context).sort((a, b) => a.layer - b.layer);
      const colour = `var(--c${(at % 8) + 1})`;
      const points = own.map((row) => `${x(row.layer)},${y(row.apart)}`).join(" ");
      svg.append(mark("polyline", { points, fill: "none", stroke: colour, "stroke-width": 1.8 }));
      svg.append(mark("text", { x: LEFT + 70 + at * 100, y: HIGH - 6, fill: colour }, context ?? ""));
    });
    const frame = element("div", null, { class: "chart" });
    frame.append(svg);
    return frame;
  }

  // Effects of a word in every layer; both they and ratings are also given in deviations from the mean word.
  function valence(rows, word) {
    const rated = new Map(rows.map((row) => [row.dataset, row.rating]));
    const told = [...rated].map(([dataset, rating]) => `${number(rating)} in ${dataset}`).join(", ");
    place.append(element("p", `People rate its valence ${told}. Effect size: above 0 nearer to pleasant words. ` +
      "Both are also given in standard deviations from the mean of the lexicon’s words: where they meet, the model agrees with people."));
    const alone = rows.filter((row) => row.layer === null);
    if (alone.length) {
      const lines = alone.map((row) => [row.model, row.dataset, ...[row.rating, row.value, row.human, row.apart].map(number)]);
      const header = ["model", "lexicon", "human rating", "effect size", "rating, deviations", "effect, deviations"];
      place.append(tableOf(header, lines, 2, "Valence of the word"));
    }
    const layered = rows.filter((row) => row.layer !== null);
    if (!layered.length) return;
    for (const panel of new Set(layered.map((row) => `${row.model} · ${row.dataset}`))) {
      place.append(element("h4", panel), chart(layered.filter((row) => `${row.model} · ${row.dataset}` === panel), word));
    }
    const lines = layered.map((row) =>
      [row.model, row.dataset, row.context, String(row.layer), ...[row.value, row.apart, row.human].map(number)]);
    const behind = element("details");
    const header = ["model", "lexicon", "context", "layer", "effect size", "effect, deviations", "rating, deviations"];
    behind.append(element("summary", "Table"), tableOf(header, lines, 3, "Effect size by layer"));
    place.append(behind);
  }

  const MOST = 60;
  const WORDS = ["word", "neighbours", "wrong guess", "first", "second", "premise", "hypothesis"];
  const HEADINGS = {
    dataset: "data", rating: "human rating", value: "value", band: "band", bits: "mean surprisal, bits", hits: "predicted",
  };
  const COUNTS = ["layer", "times", "hits"];
  const inLanguage = (text, language) => ({ text, lang: load().data.codes[language] });

  function rowsOf(kind, places) {
    const names = Object.keys(kind.table.columns);
    return places.map((row) => Object.fromEntries(names.map((name) => [name, cell(kind.table, name, row)])));
  }

  function show(kind, rows) {
    if (kind.order) rows.sort((a, b) => kind.order[1] * (a[kind.order[0]] - b[kind.order[0]]));
    const used = Object.keys(kind.table.columns).filter((name) => name !== "language" && rows.some((row) => row[name] !== null));
    const text = (name, value) => {
      if (value === null) return "";
      return typeof value === "number" && !COUNTS.includes(name) ? number(value) : String(value);
    };
    const lines = rows.slice(0, MOST).map((row) => used.map((name) =>
      (WORDS.includes(name) ? inLanguage(text(name, row[name]), row.language) : text(name, row[name]))));
    const first = used.findIndex((name) => rows.some((row) => typeof row[name] === "number"));
    const more = rows.length > MOST ? ` (${MOST} of ${rows.length})` : "";
    const header = used.map((name) => HEADINGS[name] ?? name);
    place.append(tableOf(header, lines, first < 0 ? used.length : first, kind.title + more));
  }

  function lookUp() {
    const asked = box.value.trim();
    if (!asked) return;
    const found = load().words.get(asked.toLowerCase());
    place.replaceChildren(element("h3", found ? found.name : asked, { dir: "auto" }));
    if (!found) {
      place.append(element("p", "This page has no such word or pair; a large run keeps some only in its own files."));
      return;
    }
    for (const [kind, places] of found.rows) {
      if (kind.title === "Valence") valence(rowsOf(kind, places), found.name);
      else show(kind, rowsOf(kind, places));
    }
  }

  function suggest() {
    const asked = box.value.trim().toLowerCase();
    const { names } = load();
    const found = [];
    for (const name of names) {
      const lower = name.toLowerCase();
      if (lower.startsWith(asked) || (asked.length > 2 && lower.includes(asked))) found.push(name);
      if (found.length === 20) break;
    }
    known.replaceChildren(...found.map((name) => element("option", null, { value: name })));
  }

  function mostWrong(data) {
    const frame = document.getElementById("most-wrong");
    for (const block of data.wrong) {
      const rows = Object.entries(block.words).flatMap(([how, words]) =>
        words.map(([word, ...rest]) => [{ text: word, lang: data.codes[block.language] }, how, ...rest.map(number)]));
      if (!rows.length) continue;
      const behind = element("details");
      behind.append(
        element("summary", block.title),
        tableOf(["word", "the model finds it", "human rating", "effect size", "deviations apart"], rows, 2, "Words furthest from their rating"),
      );
      frame.append(behind);
    }
  }

  box.addEventListener("focus", load, { once: true });
  box.addEventListener("input", suggest);
  form.addEventListener("submit", (event) => { event.preventDefault(); lookUp(); });
  // The words a model gets most wrong are read without asking for one, once the section comes near.
  new IntersectionObserver((entries, observer) => {
    if (entries.some((entry) => entry.isIntersecting)) { load(); observer.disconnect(); }
  }, { rootMargin: "400px" }).observe(form);
})();
