// Marking words without reloading the page. All that is shown comes from the server; without this file the page works
// as a plain form.
"use strict";

(() => {
  const form = document.getElementById("translate");
  const group = document.getElementById("tokens");
  const result = document.getElementById("result");
  const announcement = document.getElementById("announcement");
  const WAIT = 120; // milliseconds without a further mark before the server is asked
  const LATER = 2000; // before a busy server is asked again

  linkHypotheses();
  if (!group) return;

  const facts = document.getElementById("facts");
  const tokens = [...group.querySelectorAll("button")];
  const mask = form.elements.mask;
  let anchor = 0; // where a range begins
  let painting = null; // what a drag makes of the tokens: true marks them
  let before = null; // the marks before the drag
  let timer = 0;
  let asked = null; // the request that is under way

  // ---- marks

  const isMarked = (index) => tokens[index].getAttribute("aria-pressed") === "true";
  const marks = () => tokens.map((_, index) => isMarked(index));

  function mark(index, on) {
    tokens[index].setAttribute("aria-pressed", String(on));
  }

  function markRange(from, to, on) {
    for (let index = Math.min(from, to); index <= Math.max(from, to); index++) mark(index, on);
  }

  function restore(own) {
    own.forEach((on, index) => mark(index, on));
  }

  function changed() {
    const bits = marks().map((on) => (on ? "1" : "0")).join("");
    const value = bits.includes("1") ? bits : "";
    group.classList.toggle("has-marks", value !== "");
    if (value === mask.value) return;
    mask.value = value;
    history.pushState(null, "", address(form.action));
    for (const link of form.querySelectorAll("a[data-mask]")) {
      if (link.dataset.mask === value) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    tellFacts();
    translateSoon();
  }

  // ---- the server

  // The address of what is marked and set; options that are as usual are left out, as the server does.
  function address(base) {
    const own = new URLSearchParams({ text: form.elements.marked.value });
    if (mask.value) own.set("mask", mask.value);
    for (const field of form.querySelectorAll("[data-default]")) {
      const value = field.type === "checkbox" ? String(Number(field.checked)) : field.value;
      if (value !== field.dataset.default) own.set(field.name, value);
    }
    return `${base}?${own}`;
  }

  async function tellFacts() {
    if (!mask.value) {
      facts.textContent = "Nothing is marked: the sentence is translated as it is.";
      return;
    }
    const own = mask.value;
    const answer = await fetch(`${form.dataset.skeleton}?mask=${own}`).catch(() => null);
    if (answer && answer.ok && own === mask.value) facts.textContent = (await answer.json()).summary;
  }

  function translateSoon(wait = WAIT) {
    clearTimeout(timer);
    if (asked) asked.abort();
    result.setAttribute("aria-busy", "true");
    timer = setTimeout(translate, wait);
  }

  async function translate() {
    const own = new AbortController();
    asked = own;
    try {
      const answer = await fetch(address(form.dataset.result), { signal: own.signal });
      const open = [...result.querySelectorAll("details[id][open]")].map((details) => details.id);
      result.innerHTML = await answer.text();
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
      const told = result.querySelector(".composed .words, .full .words, [role=alert]");
      announcement.textContent = told ? told.textContent.trim().replace(/\s+/g, " ") : "";
      if (answer.status === 503) translateSoon(LATER);
      else result.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return;
      const told = document.createElement("p");
      told.className = "error";
      told.setAttribute("role", "alert");
      told.textContent = "The server does not answer. Is it still running?";
      result.replaceChildren(told);
      result.removeAttribute("aria-busy");
    }
  }

  // ---- keys: one token is in the order of tabs, arrows lead to the others

  function focus(index) {
    const to = Math.max(0, Math.min(tokens.length - 1, index));
    tokens.forEach((token, own) => { token.tabIndex = own === to ? 0 : -1; });
    tokens[to].focus();
    return to;
  }

  tokens.forEach((token, own) => { token.type = "button"; token.tabIndex = own === 0 ? 0 : -1; });

  group.addEventListener("keydown", (event) => {
    const index = tokens.indexOf(document.activeElement);
    if (index < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const forward = getComputedStyle(group).direction === "rtl" ? -1 : 1;
    const target = {
      ArrowRight: index + forward, ArrowLeft: index - forward,
      ArrowDown: inLine(index, 1), ArrowUp: inLine(index, -1),
      Home: 0, End: tokens.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const to = focus(target);
    if (event.shiftKey) {
      markRange(index, to, true);
      changed();
    }
    anchor = to;
  });

  function inLine(index, step) {
    // the token above or below
    const own = tokens[index].getBoundingClientRect();
    const middle = (own.left + own.right) / 2;
    const others = tokens.map((token, number) => ({ number, box: token.getBoundingClientRect() }))
      .filter(({ box }) => step * (box.top - own.top) > own.height / 2);
    if (!others.length) return index;
    const nearest = Math.min(...others.map(({ box }) => Math.abs(box.top - own.top)));
    const line = others.filter(({ box }) => Math.abs(Math.abs(box.top - own.top) - nearest) < own.height / 2);
    const gap = ({ box }) => Math.abs((box.left + box.right) / 2 - middle);
    return line.reduce((best, one) => (gap(one) < gap(best) ? one : best)).number;
  }

  // ---- mouse and touch

  const indexAt = (event) => tokens.indexOf(event.target.closest && event.target.closest("#tokens button"));

  group.addEventListener("pointerdown", (event) => {
    const index = indexAt(event);
    if (index < 0 || event.button !== 0 || event.pointerType === "touch" || event.shiftKey) return;
    painting = !isMarked(index);
    before = marks();
    anchor = index;
    event.target.releasePointerCapture?.(event.pointerId);
  });

  group.addEventListener("pointerover", (event) => {
    const index = indexAt(event);
    if (painting === null || index < 0 || !(event.buttons & 1)) return;
    restore(before);
    markRange(anchor, index, painting);
  });

  addEventListener("pointerup", () => {
    if (painting === null) return;
    painting = null;
    if (marks().some((on, index) => on !== before[index])) {
      dragged = true;
      setTimeout(() => { dragged = false; });
      changed();
    }
  });

  let dragged = false; // the click that ends a drag marks nothing

  group.addEventListener("click", (event) => {
    const index = indexAt(event);
    if (index < 0) return;
    event.preventDefault();
    focus(index);
    if (dragged) return;
    if (event.shiftKey) markRange(anchor, index, true);
    else {
      mark(index, !isMarked(index));
      anchor = index;
    }
    changed();
  });

  // ---- the rest of the form

  document.getElementById("clear").addEventListener("click", (event) => {
    event.preventDefault();
    markRange(0, tokens.length - 1, false);
    changed();
  });

  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-mask]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    restore([...link.dataset.mask].map((bit) => bit === "1"));
    changed();
  });

  form.querySelector(".options").addEventListener("change", () => {
    if (!form.reportValidity()) return;
    history.pushState(null, "", address(form.action));
    translateSoon();
  });

  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  addEventListener("popstate", () => location.reload());

  // ---- a hypothesis and its path in the drawing

  function linkHypotheses() {
    const point = (event) => {
      const row = event.target.closest && event.target.closest(".nbest [data-arcs]");
      const arc = event.target.closest && event.target.closest("svg [data-arcs]");
      if (!row && !arc) return light([], null);
      const arcs = (row || arc).dataset.arcs.split(" ");
      return light(arcs, row);
    };
    const light = (arcs, row) => {
      const wanted = new Set(arcs);
      const meets = (own) => own.dataset.arcs.split(" ").some((arc) => wanted.has(arc));
      for (const own of result.querySelectorAll("svg [data-arcs]")) own.classList.toggle("is-lit", meets(own));
      result.querySelector(".lattice")?.classList.toggle("has-lit", wanted.size > 0);
      for (const own of result.querySelectorAll(".nbest [data-arcs]")) {
        own.classList.toggle("is-lit", row ? own === row : meets(own));
      }
    };
    for (const kind of ["pointerover", "focusin"]) result.addEventListener(kind, point);
    for (const kind of ["pointerleave", "focusout"]) result.addEventListener(kind, () => light([], null));
  }
})();
