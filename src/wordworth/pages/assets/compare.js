"use strict";
// Two models of a site, question by question. Everything is in the page: nothing is fetched.

(() => {
  const { element, number, read, tableOf } = wordworth;
  const { entries, tests } = read("compared");
  const [first, second] = ["first", "second"].map((id) => document.getElementById(id));
  const place = document.getElementById("comparison");
  const tested = document.getElementById("tested");

  const shown = ([, value, low, high]) => (low === null ? number(value) : `${number(value)} [${number(low)}, ${number(high)}]`);

  function compare() {
    const [a, b] = [first, second].map((chosen) => Number(chosen.value));
    const [one, other] = [entries[a], entries[b]];
    const p = tests[a < b ? `${a},${b}` : `${b},${a}`] ?? {};
    const rows = Object.keys(one.numbers).filter((name) => name in other.numbers).map((name) => {
      const [mine, theirs] = [one.numbers[name], other.numbers[name]];
      if (mine[0] !== theirs[0]) return [name, `${mine[0]} and ${theirs[0]}`, shown(mine), shown(theirs), "", ""];
      const found = p[name] === undefined ? "" : p[name] < 0.001 ? "< .001" : p[name].toFixed(3).replace("0.", ".");
      return [name, mine[0], shown(mine), shown(theirs), number(mine[1] - theirs[1]), found];
    });
    place.replaceChildren(...(rows.length ? [tableOf(["question", "data", one.name, other.name, "difference", "p"], rows, 2, "Two models")] : []));
    tested.textContent = rows.length
      ? "p is that of a paired test on the items that both have, two-sided, after Holm’s correction. "
        + "Where it is blank, the items allow no test, or the site has too many models for it. The command compare tests any two runs."
      : "The two have no question in common.";
    history.replaceState(null, "", `#${a},${b}`);
  }

  entries.forEach(({ name }, at) => {
    for (const chosen of [first, second]) chosen.append(element("option", name, { value: String(at) }));
  });
  // At first the two that have most questions in common, unless the address names two.
  const shared = (a, b) => Object.keys(entries[a].numbers).filter((name) => name in entries[b].numbers).length;
  let start = [0, Math.min(1, entries.length - 1)];
  for (let a = 0; a < entries.length; a += 1) {
    for (let b = a + 1; b < entries.length; b += 1) if (shared(a, b) > shared(...start)) start = [a, b];
  }
  if (/^#\d+,\d+$/.test(location.hash)) start = location.hash.slice(1).split(",");
  [first.value, second.value] = start;
  for (const chosen of [first, second]) chosen.addEventListener("change", compare);
  if (entries.length) compare();
})();
