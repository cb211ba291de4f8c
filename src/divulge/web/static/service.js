// What makes pages livelier. Nothing here is needed: every form works, and every page is complete, without it.
"use strict";

// An assessment under way: the bar moves, and when it has ended the page is loaded again.
for (const box of document.querySelectorAll("[data-progress]")) {
  const bar = box.querySelector("progress");
  const words = box.querySelector("[data-words]");
  const source = new EventSource(box.dataset.progress);
  source.addEventListener("progress", (event) => {
    const found = JSON.parse(event.data);
    if (found.total > 0) {
      bar.max = found.total;
      bar.value = found.done;
    } else {
      bar.removeAttribute("value");
    }
    if (words.textContent !== found.words) words.textContent = found.words;
  });
  source.addEventListener("ended", () => {
    source.close();
    window.location.assign(box.dataset.after);
  });
  window.addEventListener("pagehide", () => source.close());
}

// Filters apply as soon as they are chosen; the button is for those without this.
// What was typed already stays, where another kind of output is chosen and the page is another.
const carried = "typed at " + window.location.pathname;
const fields = Array.from(document.querySelectorAll("[data-carry]"));
const kept = JSON.parse(window.sessionStorage.getItem(carried) || "{}");
window.sessionStorage.removeItem(carried);
for (const field of fields) {
  if (field.name in kept) field.value = kept[field.name];
}
for (const form of document.querySelectorAll("form[data-apply]")) {
  for (const field of form.querySelectorAll("select")) {
    field.addEventListener("change", () => form.requestSubmit());
  }
  form.addEventListener("submit", () => {
    const typed = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    window.sessionStorage.setItem(carried, JSON.stringify(typed));
  });
}

// Words to start from are put where they are to be changed; without this they can be copied from their page.
for (const field of document.querySelectorAll("select[data-fill]")) {
  field.addEventListener("change", () => {
    const target = document.getElementById(field.dataset.fill);
    if (field.value !== "") target.value = field.value;
    target.focus();
  });
}

// A form is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
  });
}
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A file's size is told before it is sent.
for (const field of document.querySelectorAll("input[type=file][data-most]")) {
  field.addEventListener("change", () => {
    const total = Array.from(field.files).reduce((sum, file) => sum + file.size, 0);
    const most = Number(field.dataset.most);
    field.setCustomValidity(total > most ? "This is larger than the service takes. Was a dataset chosen by mistake?" : "");
    field.reportValidity();
  });
}

// A file that is dropped or chosen is sent at once; the button is for those without this.
for (const field of document.querySelectorAll("input[type=file][data-send]")) {
  field.addEventListener("change", () => {
    if (field.files.length > 0) field.form.requestSubmit();
  });
}
