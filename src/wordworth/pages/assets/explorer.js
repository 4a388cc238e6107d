"use strict";
// Looking up a word or a pair. Its data is read at the first use, so that the page opens without it.

(() => {
  const { cell, element, fitted, number, read, tableOf } = wordworth;
  const form = document.getElementById("look-up-form");
  if (!form) return;
  const box = document.getElementById("look-up");
  const known = document.getElementById("known");
  const place = document.getElementById("looked-up");
  let loaded;

  function load() {
    if (loaded) return loaded;
    const data = read("explorer-data");
    const rowsOf = new Map();
    const add = (name, kind, row) => {
      const key = name.toLowerCase();
      if (!rowsOf.has(key)) rowsOf.set(key, { name, rows: new Map() });
      const rows = rowsOf.get(key).rows;
      if (kind) rows.set(kind, [...(rows.get(kind) ?? []), row]);
    };
    for (const block of data.valence) {
      block.row = new Map(block.words.map((word, at) => [word.toLowerCase(), at]));
      block.words.forEach((word) => add(word));
    }
    for (const kind of data.facts) {
      for (let row = 0; row < kind.table.length; row += 1) {
        const names = kind.keys.map((key) => cell(kind.table, key, row)).filter(Boolean);
        // A pair is found under both words together, and under each.
        for (const name of new Set(names.length > 1 ? [names.join(" "), ...names] : names)) add(name, kind, row);
      }
    }
    loaded = { data, rowsOf, names: [...rowsOf.values()].map((one) => one.name).sort((a, b) => a.length - b.length) };
    mostWrong(data);
    return loaded;
  }

  function numbers(block) {
    if (block.steps) return block.steps;
    const text = atob(block.values);
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    block.steps = Int16Array.from({ length: bytes.length / 2 }, (_, at) => view.getInt16(2 * at, true));
    return block.steps;
  }

  function effects(block, word, step) {
    const at = block.row.get(word);
    if (at === undefined) return [];
    const steps = numbers(block);
    const found = [];
    block.contexts.forEach((context, s) => {
      block.layers.forEach((layer, l) => {
        const value = steps[(s * block.layers.length + l) * block.words.length + at];
        if (value !== -32768) {
          const [mean, deviation] = block.typical[s * block.layers.length + l];
          const [middle, spread] = block.rated;
          const effect = value * step;
          found.push({
            model: block.model, dataset: block.dataset, context, layer, effect, rating: block.ratings[at],
            apart: (effect - mean) / deviation, human: (block.ratings[at] - middle) / spread,
          });
        }
      });
    });
    return found;
  }

  async function valence(word) {
    const { data } = load();
    const rows = data.valence.flatMap((block) => effects(block, word, data.step));
    if (!rows.length) return;
    const rated = new Map(rows.map((row) => [row.dataset, row.rating]));
    const told = [...rated].map(([dataset, rating]) => `${number(rating)} in ${dataset}`).join(", ");
    place.append(element("p", `People rate its valence ${told}. Effect size: above 0 nearer to pleasant words. ` +
      "Both are also given in standard deviations from the mean of the lexicon’s words: where they meet, the model agrees with people."));
    const alone = rows.filter((row) => row.layer === null);
    if (alone.length) {
      const lines = alone.map((row) => [row.model, row.dataset, ...[row.rating, row.effect, row.human, row.apart].map(number)]);
      const header = ["model", "lexicon", "human rating", "effect size", "rating, deviations", "effect, deviations"];
      place.append(tableOf(header, lines, 2, "Valence of the word"));
    }
    const layered = rows.filter((row) => row.layer !== null);
    if (!layered.length) return;
    const frame = element("div", null, { class: "chart", role: "img", "aria-label": `Effect size of ${word} by layer` });
    place.append(frame);
    const colour = { field: "context", type: "nominal", sort: null, legend: { orient: "top" } };
    const contexts = [...new Set(layered.map((row) => row.context))];
    colour.scale = { domain: contexts, range: contexts.map((_, at) => `var(--c${(at % 8) + 1})`) };
    const hover = ["model", "dataset", "context", "layer"].map((field) => ({ field, type: "nominal" }));
    hover.push({ field: "effect", type: "quantitative", format: ".2f" });
    hover.push({ field: "apart", type: "quantitative", format: ".2f", title: "in deviations" });
    const y = { field: "apart", type: "quantitative", title: "deviations from the mean word" };
    const dash = { field: "context", type: "nominal", sort: null, legend: null };
    const view = {
      height: 200,
      layer: [
        {
          mark: { type: "line", point: { size: 20 } },
          encoding: {
            x: { field: "layer", type: "quantitative", axis: { tickMinStep: 1, grid: false } },
            y, color: colour, strokeDash: dash, tooltip: hover,
          },
        },
        { mark: { type: "rule", color: "var(--ink)", strokeWidth: 1.5 }, encoding: { y: { ...y, field: "human", aggregate: "mean" } } },
        {
          mark: { type: "text", align: "right", baseline: "bottom", dx: -4, dy: -3, fill: "var(--ink)", text: "human rating" },
          encoding: { y: { ...y, field: "human", aggregate: "mean" }, x: { value: "width" } },
        },
      ],
    };
    const panels = new Set(layered.map((row) => `${row.model} · ${row.dataset}`));
    const spec = panels.size > 1
      ? { transform: [{ calculate: "datum.model + ' · ' + datum.dataset", as: "panel" }],
          facet: { field: "panel", type: "nominal", title: null, sort: [...panels] }, columns: 3, spec: view }
      : { title: { text: [...panels][0] }, ...view };
    await vegaEmbed(frame, fitted(spec, frame.clientWidth, layered), { renderer: "svg", actions: false, mode: "vega-lite", logLevel: 1 });
    const lines = layered.map((row) =>
      [row.model, row.dataset, row.context, String(row.layer), ...[row.effect, row.apart, row.human].map(number)]);
    const behind = element("details");
    const header = ["model", "lexicon", "context", "layer", "effect size", "effect, deviations", "rating, deviations"];
    behind.append(element("summary", "Table"), tableOf(header, lines, 3, "Effect size by layer"));
    place.append(behind);
  }

  const MOST = 60;
  const WORDS = ["word", "neighbours", "guess", "first", "second", "premise", "hypothesis"];
  const COUNTS = ["layer", "times", "hits"];
  const inLanguage = (text, language) => ({ text, lang: load().data.codes[language] });

  function facts(found) {
    for (const [kind, places] of found.rows) {
      const names = [...Object.keys(kind.columns), "language"];
      const rows = places.map((row) => Object.fromEntries(names.map((name) => [name, cell(kind.table, name, row)])));
      if (kind.order) rows.sort((a, b) => kind.order[1] * (a[kind.order[0]] - b[kind.order[0]]));
      const used = Object.keys(kind.columns).filter((name) => rows.some((row) => row[name] !== null));
      const text = (name, value) => {
        if (value === null) return "";
        return typeof value === "number" && !COUNTS.includes(name) ? number(value) : String(value);
      };
      const lines = rows.slice(0, MOST).map((row) => used.map((name) =>
        (WORDS.includes(name) ? inLanguage(text(name, row[name]), row.language) : text(name, row[name]))));
      const first = used.findIndex((name) => rows.some((row) => typeof row[name] === "number"));
      const numeric = first < 0 ? used.length : first;
      const more = rows.length > MOST ? ` (${MOST} of ${rows.length})` : "";
      place.append(tableOf(used.map((name) => kind.columns[name]), lines, numeric, kind.title + more));
    }
  }

  async function lookUp() {
    const asked = box.value.trim();
    if (!asked) return;
    const { rowsOf } = load();
    const found = rowsOf.get(asked.toLowerCase());
    place.replaceChildren(element("h3", found ? found.name : asked, { dir: "auto" }));
    if (!found) {
      place.append(element("p", "This page has no such word or pair; a large run keeps some only in its own files."));
      return;
    }
    await valence(asked.toLowerCase());
    facts(found);
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
    for (const block of data.valence) {
      const rows = Object.entries(block.wrong).flatMap(([how, words]) =>
        words.map(([word, rating, effect, apart]) => [{ text: word, lang: data.codes[block.language] }, how, number(rating), number(effect), number(apart)]));
      if (!rows.length) continue;
      const where = block.best ? `, layer ${block.best.layer}, ${block.best.context}` : "";
      const behind = element("details");
      behind.append(
        element("summary", `Most wrong in valence: ${block.model} on ${block.dataset}${where}`),
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
