// Judging by keys, and marking errors without reloading the page. Without this file the pages work as plain forms.
import { isPlain, sendOnce } from "./forms.js";
import { pressable } from "./tokens.js";

const form = document.getElementById("judge");
const group = document.getElementById("tokens");

if (form) {
  const save = form.querySelector("button[value=save]");
  const scales = [...form.querySelectorAll(".scale")];
  const options = (scale) => [...scale.querySelectorAll("input[type=radio]")];
  const field = (scale) => scale.querySelector("input[type=radio], input[type=number]");
  const isOpen = (scale) => {
    const input = field(scale);
    return input && (input.type === "number" ? input.value === "" : !options(scale).some((option) => option.checked));
  };
  const errors = group ? markErrors(form, group) : null;

  // ---- keys

  function current() {
    // the question that has the focus, or the first one without an answer
    const focused = document.activeElement?.closest(".scale");
    return focused && options(focused).length ? focused : scales.find((scale) => options(scale).length && isOpen(scale));
  }

  function answer(scale, digit) {
    const low = Number(scale.dataset.low ?? 1);
    const option = options(scale)[digit - low];
    if (!option) return;
    option.checked = true;
    const open = scales.slice(scales.indexOf(scale)).concat(scales).find(isOpen);
    (open ? field(open) : save).focus();
  }

  addEventListener("keydown", (event) => {
    const inField = event.target.matches?.("input[type=number], textarea");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target === document.body)) {
      event.preventDefault();
      form.requestSubmit(save);
    } else if (/^[0-9]$/.test(event.key) && isPlain(event) && !inField) {
      event.preventDefault(); // the next question may be a field, which must not get the digit
      const scale = current();
      if (errors?.hasPressed()) errors.mark(Number(event.key) - 1);
      else if (scale) answer(scale, Number(event.key));
    } else if (event.key.toLowerCase() === "u" && isPlain(event) && !inField) {
      document.querySelector("#undo button")?.click();
    }
  });

  sendOnce(form);
  const first = scales[0];
  if (errors && first.contains(group)) errors.focus();
  else first?.querySelector("input:checked, input")?.focus({ preventScroll: true });
}

// Marks errors: words are pressed, then a kind of error is chosen.
function markErrors(form, group) {
  const name = form.elements.marking.value;
  const field = form.elements[`answer.${name}`];
  const list = document.getElementById("marks");
  const kinds = [...document.querySelectorAll("#kinds button")];
  const words = pressable(group, () => { form.elements.pressed.value = words.bits(); });
  let marks = field.value === "none" ? [] : field.value.split("; ").map((text) => {
    const [, first, last, kind] = text.match(/^(\d+)(?:-(\d+))? (.+)$/);
    return { first: first - 1, last: (last ?? first) - 1, kind };
  });

  const textOf = ({ first, last }) => words.tokens.slice(first, last + 1).map((token) => token.textContent.trim()).join(" ");
  const written = ({ first, last, kind }) => `${first === last ? first + 1 : `${first + 1}-${last + 1}`} ${kind}`;

  function show() {
    marks.sort((mark, other) => mark.first - other.first);
    field.value = marks.map(written).join("; ") || "none";
    words.tokens.forEach((token, index) => {
      token.classList.toggle("marked", marks.some(({ first, last }) => first <= index && index <= last));
    });
    list.replaceChildren(...marks.map(item));
    document.getElementById("no-marks").hidden = marks.length > 0;
  }

  function item(mark) {
    const entry = document.createElement("li");
    const text = document.createElement("span");
    text.dir = "auto";
    text.textContent = textOf(mark);
    const kind = document.createElement("b");
    kind.textContent = mark.kind;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${text.textContent}`);
    remove.addEventListener("click", () => {
      marks = marks.filter((other) => other !== mark);
      show();
      words.focus(mark.first);
    });
    entry.append(text, " ", kind, " ", remove);
    return entry;
  }

  function mark(number) {
    const pressed = words.pressed();
    if (!kinds[number]) return;
    marks = marks.filter(({ first, last }) => !pressed.slice(first, last + 1).includes(true));
    words.tokens.forEach((_, index) => {
      if (!pressed[index]) return;
      if (pressed[index - 1]) marks.at(-1).last = index;
      else marks.push({ first: index, last: index, kind: kinds[number].value });
    });
    words.set(pressed.map(() => false));
    show();
  }

  kinds.forEach((button, number) => {
    button.type = "button";
    button.addEventListener("click", () => mark(number));
  });
  show();
  return { mark, hasPressed: () => words.pressed().includes(true), focus: () => words.focus(0) };
}
