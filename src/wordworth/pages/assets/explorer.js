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
    const facts = data.facts;
    const rowsOf = new Map();
    const add = (name, row) => {
      const key = name.toLowerCase();
      if (!rowsOf.has(key)) rowsOf.set(key, { name, facts: [] });
      if (row !== undefined) rowsOf.get(key).facts.push(row);
    };
    for (const block of data.valence) {
      block.row = new Map(block.words.map((word, at) => [word.toLowerCase(), at]));
      block.words.forEach((word) => add(word));
    }
    for (let row = 0; row < facts.length; row += 1) {
      const item = cell(facts, "item", row);
      add(item, row);
      // A pair is found under each of its words too.
      const parts = item.includes("⇒") ? [] : item.split(/ → | /);
      if (parts.length > 1) for (const part of parts) add(part, row);
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
    block.settings.forEach((setting, s) => {
      block.layers.forEach((layer, l) => {
        const value = steps[(s * block.layers.length + l) * block.words.length + at];
        if (value !== -32768) {
          const [mean, deviation] = block.typical[s * block.layers.length + l];
          const [middle, spread] = block.rated;
          const effect = value * step;
          found.push({
            model: block.model, dataset: block.dataset, setting, layer, effect, rating: block.ratings[at],
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
    const colour = { field: "setting", type: "nominal", sort: null, legend: { orient: "top" } };
    const settings = [...new Set(layered.map((row) => row.setting))];
    colour.scale = { domain: settings, range: settings.map((_, at) => `var(--c${(at % 8) + 1})`) };
    const hover = ["model", "dataset", "setting", "layer"].map((field) => ({ field, type: "nominal" }));
    hover.push({ field: "effect", type: "quantitative", format: ".2f" });
    hover.push({ field: "apart", type: "quantitative", format: ".2f", title: "in deviations" });
    const y = { field: "apart", type: "quantitative", title: "deviations from the mean word" };
    const dash = { field: "setting", type: "nominal", sort: null, legend: null };
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
      [row.model, row.dataset, row.setting, String(row.layer), ...[row.effect, row.apart, row.human].map(number)]);
    const behind = element("details");
    const header = ["model", "lexicon", "setting", "layer", "effect size", "effect, deviations", "rating, deviations"];
    behind.append(element("summary", "Table"), tableOf(header, lines, 3, "Effect size by layer"));
    place.append(behind);
  }

  const KINDS = [
    { title: "Nearest words", of: ["neighbours"], order: null,
      columns: [["word", "item"], ["model", "model"], ["nearest words of its vocabulary", "found_as"], ["cosine of the first", "value"]] },
    { title: "Pairs, nearest first", of: ["similarity", "quality", "validation"], order: (a, b) => b.value - a.value,
      columns: [["pair", "item"], ["model", "model"], ["data set", "dataset"], ["setting", "setting"], ["layer", "layer"], ["human score", "reference"], ["cosine", "value"]] },
    { title: "Association tests", of: ["weat"], order: null,
      columns: [["word", "item"], ["model", "model"], ["test", "dataset"], ["set", "group"], ["association", "value"]] },
    { title: "Prediction", of: ["prediction"], order: null,
      columns: [["word", "item"], ["model", "model"], ["text", "dataset"], ["band", "group"], ["commonest wrong guess", "found_as"], ["times", "times"], ["predicted", "hits"], ["mean surprisal, bits", "value"]] },
    { title: "Inferences", of: null, order: (a, b) => a.value - b.value,
      columns: [["pair", "item"], ["model", "model"], ["probe", "dataset"], ["setting", "setting"], ["entailment", "entailment"], ["neutral", "value"], ["contradiction", "contradiction"]] },
  ];
  const MOST = 60;
  const WORDS = ["item", "found_as"];
  const inLanguage = (text, language) => ({ text, lang: load().data.codes[language] });

  function facts(found) {
    const table = load().data.facts;
    const names = Object.keys(table.columns);
    const rows = found.facts.map((row) => Object.fromEntries(names.map((name) => [name, cell(table, name, row)])));
    const taken = new Set(KINDS.flatMap((kind) => kind.of ?? []));
    for (const kind of KINDS) {
      const mine = rows.filter((row) => (kind.of ? kind.of.includes(row.experiment) : !taken.has(row.experiment)));
      if (!mine.length) continue;
      if (kind.order) mine.sort(kind.order);
      const used = kind.columns.filter(([, name]) => mine.some((row) => row[name] !== null));
      const text = (name, value) => {
        if (value === null) return "";
        return typeof value === "number" && !["layer", "times", "hits"].includes(name) ? number(value) : String(value);
      };
      const lines = mine.slice(0, MOST).map((row) => used.map(([, name]) =>
        (WORDS.includes(name) ? inLanguage(text(name, row[name]), row.language) : text(name, row[name]))));
      const numeric = used.findIndex(([, name]) => ["layer", "reference", "value", "entailment", "times"].includes(name));
      const more = mine.length > MOST ? ` (${MOST} of ${mine.length})` : "";
      place.append(tableOf(used.map(([title]) => title), lines, numeric, kind.title + more));
    }
  }

  async function lookUp() {
    const asked = box.value.trim();
    if (!asked) return;
    const { rowsOf } = load();
    const found = rowsOf.get(asked.toLowerCase());
    place.replaceChildren(element("h3", found ? found.name : asked, { dir: "auto" }));
    if (!found) {
      place.append(element("p", "These runs have no such word or pair, or it is among those left for items.parquet."));
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
      const where = block.best ? `, layer ${block.best.layer}, ${block.best.setting}` : "";
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
