"use strict";
// The page's own script: downloads, the tables behind figures, sorting, the theme. The page shows everything but these
// without it. Every text from the data reaches the page by textContent, never as HTML.

const wordworth = (() => {
  const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
  const scores = unpacked(read("scores"));
  const figures = read("figures");
  const columns = Object.keys(scores?.columns ?? {});
  const written = columns.filter((name) => name !== "quantity" && name !== "care");  // as in scores.csv

  function element(name, text, attributes = {}) {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  // A column whose values repeat has each with its count.
  function unpacked(table) {
    const spread = ({ runs }) => runs.flatMap((value, at) => (at % 2 ? [] : Array(runs[at + 1]).fill(value)));
    for (const [name, column] of Object.entries(table?.columns ?? {})) {
      if (column?.runs) table.columns[name] = spread(column);
      else if (column?.codes?.runs) column.codes = spread(column.codes);
    }
    return table;
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
        const node = element("td", held?.text ?? held, at >= numeric ? { class: "number" } : { dir: "auto" });
        if (held?.lang) node.setAttribute("lang", held.lang);
        if (held?.care) node.append(element("abbr", "†", { title: held.care }));
        line.append(node);
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
      if (!down.has(key)) down.set(key, new Map());
      across.set(over, true);
      const interval = row.low === null ? "" : ` [${number(row.low)}, ${number(row.high)}]`;
      const p = row.p === null ? "" : `, p ${chance(row)}`;
      down.get(key).set(over, { text: `${number(row.value)}${interval}${p}`, care: row.care });
    }
    const over = [...across.keys()];
    const rows = [...down].map(([key, cells]) => [...JSON.parse(key), ...over.map((name) => cells.get(name) ?? "")]);
    return tableOf([...figure.names, ...over], rows, figure.down.length, title);
  }

  // The variables of the style sheet have no meaning in a file.
  function standAlone(svg) {
    const style = getComputedStyle(document.documentElement);
    const copy = svg.cloneNode(true);
    copy.setAttribute("font-family", "Helvetica, Arial, Noto Sans, Noto Sans CJK SC, sans-serif");
    return new XMLSerializer().serializeToString(copy)
      .replace(/var\((--\w+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  }

  function saveAs(name, blob) {
    const address = URL.createObjectURL(blob);
    const link = element("a", null, { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function csv(rows, names = written) {
    const quoted = (value) => {
      // A spreadsheet would compute a text that begins so; an apostrophe says that it is text, as in scores.csv.
      const formula = typeof value === "string" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(value);
      const text = value === null ? "" : `${formula ? "'" : ""}${value}`;
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [names.join(","), ...rows.map((row) => names.map((name) => quoted(row[name])).join(","))].join("\n") + "\n";
  }

  const SHARP = 3;  // pixels of a PNG per pixel of the page

  function draw(svg, name) {
    const image = new Image();
    image.onload = () => {
      const canvas = element("canvas");
      canvas.width = SHARP * svg.viewBox.baseVal.width;
      canvas.height = SHARP * svg.viewBox.baseVal.height;
      const context = canvas.getContext("2d");
      context.fillStyle = getComputedStyle(document.body).backgroundColor;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => saveAs(name, blob), "image/png");
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(standAlone(svg))}`;
  }

  function download(frame, kind) {
    const svg = frame.querySelector(".chart svg");
    const name = `${frame.id}.${kind}`;
    if (kind === "csv") saveAs(name, new Blob([csv(rowsOf(figures[frame.id]))], { type: "text/csv" }));
    else if (kind === "svg") saveAs(name, new Blob([standAlone(svg)], { type: "image/svg+xml" }));
    else draw(svg, name);
  }

  // The profile is a table of small drawings. As one picture, each text is drawn where it is on the page.
  function drawProfile(frame) {
    const NS = "http://www.w3.org/2000/svg";
    const box = frame.getBoundingClientRect();
    const texts = [...frame.querySelectorAll(".models li, .asked b, .asked span, .end, .value, .verdict")];
    const ends = texts.filter((node) => !node.matches(".asked span"))
      .map((node) => node.getBoundingClientRect().left - box.left + 7 * node.textContent.trim().length);
    const [width, height] = [Math.ceil(Math.max(box.width, ...ends)), Math.ceil(box.height)];
    const svg = document.createElementNS(NS, "svg");
    const setAll = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    setAll(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    for (const node of texts) {
      const [place, style] = [node.getBoundingClientRect(), getComputedStyle(node)];
      const size = parseFloat(style.fontSize);
      const x = place.left - box.left + parseFloat(style.paddingLeft) + (node.matches(".models li") ? 22 : 0);
      const text = document.createElementNS(NS, "text");
      setAll(text, { "font-size": size, "font-weight": style.fontWeight, fill: style.color });
      const letters = node.matches(".asked span") ? Math.floor(node.parentElement.clientWidth / (0.54 * size)) : 1000;
      const words = node.textContent.trim().replace(/\s+/g, " ");
      (words.match(new RegExp(`.{1,${letters}}(?: |$)`, "g")) ?? [words]).forEach((line, at) => {
        const span = document.createElementNS(NS, "tspan");
        setAll(span, { x, y: place.top - box.top + size * (1.1 + 1.2 * at) });
        span.textContent = line.trim();
        text.append(span);
      });
      svg.append(text);
    }
    for (const drawing of frame.querySelectorAll("svg:not(svg svg)")) {
      const [place, copy] = [drawing.getBoundingClientRect(), drawing.cloneNode(true)];
      const marks = [...copy.querySelectorAll("*")];
      [...drawing.querySelectorAll("*")].forEach((mark, at) => {
        const style = getComputedStyle(mark);
        for (const name of ["fill", "stroke", "stroke-width", "stroke-opacity"]) marks[at].setAttribute(name, style.getPropertyValue(name));
      });
      setAll(copy, { x: place.left - box.left, y: place.top - box.top, width: place.width, height: place.height, overflow: "visible" });
      svg.append(copy);
    }
    return svg;
  }

  function downloadProfile(kind) {
    const name = `profile.${kind}`;
    const lines = read("profile-data").map((row) =>
      ({ ...row, controls: Object.entries(row.controls).map(([control, value]) => `${control} ${value}`).join("; ") }));
    const picture = kind === "csv" ? null : drawProfile(document.getElementById("profile-figure"));
    if (kind === "csv") saveAs(name, new Blob([csv(lines, Object.keys(lines[0] ?? {}))], { type: "text/csv" }));
    else if (kind === "svg") saveAs(name, new Blob([standAlone(picture)], { type: "image/svg+xml" }));
    else draw(picture, name);
  }

  function theme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const button = document.getElementById("theme");
    button.setAttribute("aria-pressed", String(dark));
    button.textContent = dark ? "Light" : "Dark";
  }

  // A click on a heading sorts by it: numbers from the highest, names from A.
  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, at) => {
      const button = element("button", null, { type: "button" });
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const numeric = heading.classList.contains("number");
        const sorted = heading.getAttribute("aria-sort");
        const up = numeric ? sorted === "descending" : sorted !== "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        const value = (row) => (numeric ? Number(row.cells[at].dataset.value ?? NaN) : row.cells[at].textContent.trim());
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((one, other) => {
          const [a, b] = [value(one), value(other)];
          if (!numeric) return up ? a.localeCompare(b) : b.localeCompare(a);
          if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
          return up ? a - b : b - a;
        });
        body.append(...rows);
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
    for (const frame of document.querySelectorAll("figure.drawn")) {
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
    document.querySelectorAll("button[data-profile]").forEach((button) => {
      button.addEventListener("click", () => downloadProfile(button.dataset.profile));
    });
    document.querySelectorAll(".sortable table").forEach(sortable);
    const unfold = () => {  // what a link names is shown
      const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      for (let one = place; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    };
    addEventListener("hashchange", unfold);
    unfold();
    const copy = document.getElementById("copy-bibtex");
    copy?.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("bibtex").textContent);
      document.getElementById("status").textContent = "BibTeX copied.";
      copy.textContent = "Copied";
    });
    document.documentElement.dataset.ready = "yes";
  }

  begin();
  return { cell, element, number, read, tableOf, unpacked };
})();
