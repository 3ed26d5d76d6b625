// Annotating without reloading the page for each word, and by keys. Without this file the pages work as plain forms.
import { isPlain, sendOnce } from "./forms.js";
import { pressable } from "./tokens.js";

const form = document.getElementById("shorten") || document.getElementById("check");
const group = document.getElementById("tokens");

if (group) {
  const left = document.getElementById("left");
  const whole = form.elements.whole;
  const marks = pressable(group, show);

  function show() {
    const pressed = marks.pressed();
    form.elements.deleted.value = marks.bits();
    left.textContent = marks.tokens.filter((_, index) => !pressed[index]).map((token) => token.textContent).join(" ") || "–";
    whole.checked = whole.checked && !pressed.includes(true);
    whole.closest(".whole").hidden = pressed.includes(true);
  }

  show();
  marks.focus(0);
}

if (form) {
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector("button[value=save]"));
    } else if (form.id === "check" && /^[1-9]$/.test(event.key) && isPlain(event)) {
      form.querySelectorAll("input[name=bad]")[event.key - 1]?.click();
    }
  });
  sendOnce(form);
}
