"use strict";
// What is running is asked for again and again; the list is fetched anew once a run has ended.
const running = document.getElementById("running");
if (running) {
  const every = 1000 * Number(running.dataset.every);
  let before = running.querySelectorAll("li").length;
  const look = async () => {
    try {
      const answer = await fetch("/running");
      if (answer.ok) {
        const text = new DOMParser().parseFromString(await answer.text(), "text/html");
        const now = text.querySelectorAll("li").length;
        running.replaceChildren(...text.body.childNodes);
        if (now < before && !document.querySelector("input[type=radio]:checked")) window.location.reload();
        before = now;
      }
    } catch { /* the server has gone; the page stays as it is */ }
    setTimeout(look, every);
  };
  setTimeout(look, every);
}
// A choice filters at once; typing waits for Enter, as the form does by itself.
for (const select of document.querySelectorAll(".filter select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
