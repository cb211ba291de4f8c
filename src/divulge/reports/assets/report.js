"use strict";
// Draws every plot from the document that stands beside it, and opens what is folded before the page is printed.
(() => {
  const options = {
    ast: true, // expressions are interpreted, not compiled: the page allows no eval
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };
  for (const plot of document.querySelectorAll(".plot")) {
    const spec = JSON.parse(document.getElementById(plot.dataset.spec).textContent);
    vegaEmbed(plot, spec, options).then(
      () => plot.classList.add("drawn"),
      () => plot.append("This plot could not be drawn. The table below has its figures."),
    );
  }
  const closed = new Set();
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details:not([open])")) {
      closed.add(fold);
      fold.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
    closed.clear();
  });
})();
