// Marking words without reloading the page. All that is shown comes from the server; without this file the page works
// as a plain form.
import { pressable } from "./tokens.js";

(() => {
  const form = document.getElementById("translate");
  const group = document.getElementById("tokens");
  const result = document.getElementById("result");
  const announcement = document.getElementById("announcement");
  const WAIT = 120; // milliseconds without a further mark before the server is asked
  const LATER = 2000; // before a busy server is asked again

  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  linkHypotheses();
  if (!group) return;

  const facts = document.getElementById("facts");
  const marks = pressable(group, changed);
  const { tokens, indexAt } = marks;
  const mask = form.elements.mask;
  let timer = 0;
  let asked = null; // the request that is under way

  function changed() {
    const bits = marks.bits();
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
    const query = new URLSearchParams({ text: form.elements.marked.value });
    if (mask.value) query.set("mask", mask.value);
    for (const field of form.querySelectorAll("[data-default]")) {
      const value = field.type === "checkbox" ? String(Number(field.checked)) : field.value;
      if (value !== field.dataset.default) query.set(field.name, value);
    }
    return `${base}?${query}`;
  }

  async function tellFacts() {
    if (!mask.value) {
      facts.textContent = "Nothing is marked: the whole sentence is translated.";
      return;
    }
    const value = mask.value;
    const answer = await fetch(`${form.dataset.skeleton}?mask=${value}`).catch(() => null);
    if (answer && answer.ok && value === mask.value) facts.textContent = (await answer.json()).summary;
  }

  function translateSoon(wait = WAIT) {
    clearTimeout(timer);
    if (asked) asked.abort();
    result.setAttribute("aria-busy", "true");
    timer = setTimeout(translate, wait);
  }

  async function translate() {
    const request = new AbortController();
    asked = request;
    try {
      const answer = await fetch(address(form.dataset.result), { signal: request.signal });
      const open = [...result.querySelectorAll("details[id][open]")].map((details) => details.id);
      result.innerHTML = await answer.text();
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
      const news = result.querySelector(".composed .words, .full .words, [role=alert]");
      announcement.textContent = news ? news.textContent.trim().replace(/\s+/g, " ") : "";
      if (answer.status === 503) translateSoon(LATER);
      else result.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return;
      const message = document.createElement("p");
      message.className = "error";
      message.setAttribute("role", "alert");
      message.textContent = "The server does not answer. Is it still running?";
      result.replaceChildren(message);
      result.removeAttribute("aria-busy");
    }
  }

  // ---- the rest of the form

  document.getElementById("clear").addEventListener("click", (event) => {
    event.preventDefault();
    marks.set(tokens.map(() => false));
  });

  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-mask]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    marks.set([...link.dataset.mask].map((bit) => bit === "1"));
  });

  form.querySelector(".options").addEventListener("change", () => {
    if (!form.reportValidity()) return;
    history.pushState(null, "", address(form.action));
    translateSoon();
  });

  addEventListener("popstate", () => location.reload());

  // ---- a word of a translation and those of the sentence that it comes from

  function lightWords(event) {
    const within = event.type !== "pointerleave" && event.type !== "focusout";
    const word = within && event.target.closest && event.target.closest("[data-source]");
    const token = within ? indexAt(event) : -1;
    const wanted = new Set(word ? word.dataset.source.split(" ").map(Number) : token >= 0 ? [token] : []);
    tokens.forEach((button, index) => button.classList.toggle("is-lit", Boolean(word) && wanted.has(index)));
    for (const translated of result.querySelectorAll("[data-source]")) {
      const meets = translated.dataset.source.split(" ").some((index) => wanted.has(Number(index)));
      translated.classList.toggle("is-lit", word ? translated === word : meets);
    }
  }

  for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) {
    group.addEventListener(kind, lightWords);
    result.addEventListener(kind, lightWords);
  }

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
      const meets = (shape) => shape.dataset.arcs.split(" ").some((arc) => wanted.has(arc));
      for (const shape of result.querySelectorAll("svg [data-arcs]")) shape.classList.toggle("is-lit", meets(shape));
      result.querySelector(".lattice")?.classList.toggle("has-lit", wanted.size > 0);
      for (const listed of result.querySelectorAll(".nbest [data-arcs]")) {
        listed.classList.toggle("is-lit", row ? listed === row : meets(listed));
      }
    };
    for (const kind of ["pointerover", "focusin"]) result.addEventListener(kind, point);
    for (const kind of ["pointerleave", "focusout"]) result.addEventListener(kind, () => light([], null));
  }
})();
