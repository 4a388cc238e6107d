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

  // Effects of a word in every layer; both they and ratings are also given in deviations from the mean word.
  function valence(rows) {
    const rated = new Map(rows.map((row) => [row.dataset, row.rating]));
    const ratings = [...rated].map(([dataset, rating]) => `${number(rating)} in ${dataset}`).join(", ");
    place.append(element("p", `People rate its valence ${ratings}. Effect size: above 0 nearer to pleasant words. ` +
      "Both are also given in standard deviations from the mean of the lexicon’s words: where they meet, the model agrees with people."));
    const unlayered = rows.filter((row) => row.layer === null);
    if (unlayered.length) {
      const lines = unlayered.map((row) => [row.model, row.dataset, ...[row.rating, row.value, row.human, row.apart].map(number)]);
      const header = ["model", "lexicon", "human rating", "effect size", "rating, deviations", "effect, deviations"];
      place.append(tableOf(header, lines, 2, "Valence of the word"));
    }
    const layered = rows.filter((row) => row.layer !== null);
    if (!layered.length) return;
    const lines = layered.map((row) =>
      [row.model, row.dataset, row.context, String(row.layer), ...[row.value, row.apart, row.human].map(number)]);
    const header = ["model", "lexicon", "context", "layer", "effect size", "effect, deviations", "rating, deviations"];
    place.append(tableOf(header, lines, 3, "Effect size of the word by layer"));
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
      if (kind.title === "Valence") valence(rowsOf(kind, places));
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
