"use strict";
// The page's own script: draws the figures from the scores, which it holds once, and makes their tables.
// Every text from the data reaches the page by textContent or through Vega, never as HTML.

const wordworth = (() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const scores = read("scores");
  const figures = read("figures");
  const config = read("config");
  const coarse = matchMedia("(pointer: coarse)").matches;
  const columns = Object.keys(scores.columns);
  const written = columns.filter((name) => name !== "quantity" && name !== "care");  // as in scores.csv

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function cell(table, name, row) {
    const column = table.columns[name];
    if (column === null) return null;
    if (Array.isArray(column)) return column[row];
    const code = column.codes[row];
    return code < 0 ? null : column.values[code];
  }

  function rowsOf(figure) {
    return figure.rows.map((row) => Object.fromEntries(columns.map((name) => [name, cell(scores, name, row)])));
  }

  // What a figure draws.
  function ownRows(table) {
    const names = Object.keys(table.columns);
    return Array.from({ length: table.length }, (_, row) => Object.fromEntries(names.map((name) => [name, cell(table, name, row)])));
  }

  // Two decimals as the papers set them.
  function number(value) {
    if (value === null || value === undefined) return "";
    const text = value.toFixed(Math.abs(value) < 10 ? 2 : 1);
    return (Math.abs(value) < 1 ? text.replace("0.", ".") : text).replace("-", "−");
  }

  function tableOf(header, rows, numeric, caption) {
    const table = element("table");
    table.append(element("caption", caption));
    const head = table.createTHead().insertRow();
    header.forEach((name, at) => {
      head.append(element("th", name, { scope: "col", ...(at >= numeric ? { class: "number" } : {}) }));
    });
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((held, at) => {
        // A word may be written from right to left; its language chooses among the forms of a Chinese character.
        const made = element("td", held?.text ?? held, at >= numeric ? { class: "number" } : { dir: "auto" });
        if (held?.lang) made.setAttribute("lang", held.lang);
        if (held?.care) made.append(element("abbr", "†", { title: held.care }));
        line.append(made);
      });
    }
    const frame = element("div", null, { class: "scroll", tabindex: "0", role: "region", "aria-label": caption });
    frame.append(table);
    return frame;
  }

  function named(row, names) {
    return names.map((name) => (row[name] === null ? (name === "components" ? "raw" : "") : String(row[name])));
  }

  // A p of 0 is below one of the partitions that were counted.
  function chance(row) {
    if (row.p > 0) return `= ${Number(row.p.toPrecision(2))}`;
    return row.partitions ? `< 1/${row.partitions.toLocaleString("en")}` : "< 1e-300";
  }

  function pivot(figure, title) {
    const down = new Map();
    const across = new Map();
    for (const row of rowsOf(figure)) {
      const key = JSON.stringify(named(row, figure.down));
      const over = named(row, figure.across).filter(Boolean).join(" ");
      across.set(over, true);
      if (!down.has(key)) down.set(key, new Map());
      const p = row.p === null ? "" : `, p ${chance(row)}`;
      const interval = row.low === null ? "" : ` [${number(row.low)}, ${number(row.high)}]`;
      down.get(key).set(over, { text: number(row.value) + interval + p, care: row.care });
    }
    const over = [...across.keys()];
    const rows = [...down].map(([key, cells]) => [...JSON.parse(key), ...over.map((name) => cells.get(name) ?? "")]);
    return tableOf([...figure.names, ...over], rows, figure.down.length, title);
  }

  // Panels side by side as they fit, and no label cut.
  const LETTER = 6.6, TITLE = 6.2, BOLD = 7.6, LINE = 13, GAP = 22, NARROW = 520;

  function fitted(spec, width, rows) {
    const made = structuredClone(spec);
    made.data = { values: rows };
    made.config = structuredClone(config);
    const view = made.spec ?? made;
    const layers = view.layer ?? [view];
    const narrow = width < NARROW;
    const across = sideBySide(made, width);
    const tasks = layers.map((one) => one.encoding.y?.sort).find(Array.isArray) ?? [];
    const own = made.resolve?.scale?.y === "independent";
    const letters = { axis: narrow ? 18 : 40 };
    if (own && across > 1) letters.axis = Math.min(letters.axis, Math.floor(width / across / 2 / LETTER));
    const longest = Math.max(0, ...tasks.map((task) => task.length));
    const margin = tasks.length ? Math.min(longest, letters.axis) * LETTER + 30 : 58;
    if (across) {
      view.width = Math.max(80, Math.floor((width - margin * (own ? across : 1)) / across) - GAP);
      made.columns = across;
    } else {
      view.width = width;
      made.autosize = { type: "fit-x", contains: "padding" };
    }
    const inside = across ? view.width : width - margin - 20;
    const beside = width - margin - 20;
    letters.panel = Math.floor(inside / BOLD);
    letters.legend = Math.min(36, Math.floor((beside - 30) / LETTER));
    if (across) {
      const headings = Math.max(...made.facet.sort.map((name) => inLines(name, letters.panel).length));
      const below = made.resolve?.scale?.x === "independent" ? 34 : 0;
      made.bounds = "flush";
      made.spacing = { row: Math.ceil(LINE * headings) + 24 + below, column: own ? Math.floor(margin) + GAP : GAP };
    }
    // A finger that drags scrolls the page.
    if (coarse && made.params) made.params = made.params.filter((param) => param.bind !== "scales");
    for (const one of made.params ?? []) {
      if (one.name.endsWith("_letters")) one.value = letters[one.name.replace("_letters", "")];
    }
    if (made.title) made.title.text = inLines(made.title.text, Math.floor((width - 20) / BOLD));
    if (made.usermeta) {
      const lines = Math.max(...tasks.map((task) => inLines(task, letters.axis).length));
      view.height = made.usermeta.tasks * Math.max(made.usermeta.step, Math.ceil(LINE * lines) + 4);
    }
    for (const one of layers) {
      fitGuides(one.encoding, [inside, view.height], beside, letters.legend);
    }
    return made;
  }

  function sideBySide(spec, width) {
    if (!spec.spec) return 0;
    const least = spec.columns > 3 ? (width < NARROW ? 150 : 210) : 270;
    return Math.max(1, Math.min(spec.columns, Math.floor(width / least)));
  }

  function fitGuides(encoding, inside, beside, letters) {
    for (const [channel, room] of [["x", inside[0]], ["y", inside[1]]]) {
      const title = encoding[channel]?.title;
      if (typeof title === "string") encoding[channel].title = inLines(title, Math.floor(room / TITLE));
    }
    for (const channel of ["color", "strokeDash", "shape"]) {
      const held = encoding[channel];
      if (!held?.legend || !held.scale?.domain) continue;
      const longest = Math.max(...held.scale.domain.map((name) => String(name).length));
      held.legend.columns = Math.max(1, Math.floor(beside / (Math.min(longest, letters) * LETTER + 45)));
    }
  }

  function inLines(text, letters) {
    const some = `.{1,${Math.max(letters, 8)}}`;
    return text.match(new RegExp(`${some}$|${some}[ /_:-]|${some}`, "gu"))?.map((line) => line.replace(/^ +| +$/g, "")) ?? [text];
  }

  const views = new Map();

  async function draw(frame) {
    if (frame.dataset.drawn) return;
    frame.dataset.drawn = "yes";
    const figure = figures[frame.id];
    const chart = frame.querySelector(".chart");
    const spec = fitted(figure.spec, chart.clientWidth, ownRows(figure.own));
    const place = element("div");  // the old drawing stays until the new one is there
    const made = await vegaEmbed(place, spec, { renderer: "svg", actions: false, mode: "vega-lite", logLevel: 1 });
    views.set(frame.id, made.view);
    chart.replaceChildren(place);
  }

  // The variables of the style sheet have no meaning in a file.
  function plainColours(text) {
    const style = getComputedStyle(document.documentElement);
    return text.replace(/var\((--\w+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  }

  function save(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", null, { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function csv(rows) {
    const quoted = (value) => {
      // A spreadsheet would compute a text that begins so; an apostrophe says that it is text, as in scores.csv.
      const formula = typeof value === "string" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(value);
      const text = value === null ? "" : `${formula ? "'" : ""}${value}`;
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [written.join(","), ...rows.map((row) => written.map((name) => quoted(row[name])).join(","))].join("\n") + "\n";
  }

  async function download(frame, kind) {
    if (kind === "csv") save(`${frame.id}.csv`, "text/csv", csv(rowsOf(figures[frame.id])));
    else {
      await draw(frame);
      save(`${frame.id}.svg`, "image/svg+xml", plainColours(await views.get(frame.id).toSVG()));
    }
  }

  function theme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const button = document.getElementById("theme");
    button.setAttribute("aria-pressed", String(dark));
    button.textContent = dark ? "Light" : "Dark";
  }

  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, at) => {
      const button = element("button", heading.textContent, { type: "button" });
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = heading.getAttribute("aria-sort") === "descending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        const value = (row) => {
          const text = row.cells[at].textContent;
          return at === 0 ? text : text === "" ? NaN : Number(text.replace("−", "-").replace("†", ""));
        };
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((one, other) => {
          const [a, b] = [value(one), value(other)];
          if (at === 0) return up ? b.localeCompare(a) : a.localeCompare(b);
          if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
          return up ? a - b : b - a;
        });
        body.append(...rows);
      });
    });
  }

  // Which columns of the leaderboard are shown; a model without a number in any of them is not.
  function choosable(board) {
    const table = board.querySelector("table");
    const boxes = [...board.querySelectorAll(".columns input")];
    const rows = [...table.tBodies[0].rows];
    const show = () => {
      boxes.forEach((box, at) => {
        for (const row of table.rows) row.cells[at + 1].hidden = !box.checked;
      });
      for (const row of rows) row.hidden = ![...row.cells].slice(1).some((one) => !one.hidden && one.textContent);
      const chosen = boxes.filter((box) => box.checked).length;
      const hidden = rows.filter((row) => row.hidden).length;
      board.querySelector(".chosen").textContent = `${chosen} of ${boxes.length}`;
      board.querySelector(".without").textContent = hidden ? `Without a number in these columns: ${hidden} of ${rows.length} models.` : "";
    };
    boxes.forEach((box) => box.addEventListener("change", show));
    board.querySelectorAll("button[data-columns]").forEach((button) => {
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = button.dataset.columns === "all" || box.defaultChecked;
        show();
      });
    });
  }

  function begin() {
    const preference = matchMedia("(prefers-color-scheme: dark)");
    theme(preference.matches);
    preference.addEventListener("change", (event) => theme(event.matches));
    document.getElementById("theme").addEventListener("click", () => {
      theme(document.documentElement.dataset.theme !== "dark");
    });
    const frames = [...document.querySelectorAll("figure.drawn")];
    // What is in view is drawn first, the rest while the reader reads.
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
    }, { rootMargin: "300px" });
    frames.forEach((frame) => seen.observe(frame));
    const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
    const waiting = [...frames];
    const next = () => {
      const frame = waiting.shift();
      if (frame) draw(frame).then(() => idle(next));
      else document.documentElement.dataset.ready = "yes";
    };
    idle(next);
    for (const frame of frames) {
      frame.querySelectorAll("button[data-get]").forEach((button) => {
        button.addEventListener("click", () => download(frame, button.dataset.get));
      });
      const behind = frame.querySelector(".behind");
      behind.addEventListener("toggle", () => {
        const place = behind.querySelector(".pivot");
        if (behind.open && !place.firstChild) {
          place.append(pivot(figures[frame.id], frame.querySelector("h3").textContent));
        }
      });
    }
    document.querySelectorAll(".sortable table").forEach(sortable);
    document.querySelectorAll(".sortable").forEach((board) => { if (board.querySelector(".columns")) choosable(board); });
    const copy = document.getElementById("copy-bibtex");
    copy?.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("bibtex").textContent);
      document.getElementById("said").textContent = "BibTeX copied.";
      copy.textContent = "Copied";
    });
    let width = innerWidth;
    let pending;
    addEventListener("resize", () => {
      clearTimeout(pending);
      pending = setTimeout(() => {
        if (innerWidth === width) return;
        width = innerWidth;
        for (const frame of frames) delete frame.dataset.drawn;
        frames.forEach((frame) => { seen.unobserve(frame); seen.observe(frame); });
      }, 200);
    });
  }

  begin();
  return { cell, config, element, fitted, number, read, tableOf };
})();
