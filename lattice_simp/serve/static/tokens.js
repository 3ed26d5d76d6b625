// Words as buttons that are pressed or not: by clicks, by dragging over them, by ranges with Shift, and by keys.
//
// `changed` is called when a reader has changed what is pressed. Returned are the buttons and what reads and sets them.

export function pressable(group, changed) {
  const tokens = [...group.querySelectorAll("button")];
  let anchor = 0; // where a range begins
  let painting = null; // what a drag makes of the tokens: true presses them
  let before = null; // what was pressed before the drag
  let dragged = false; // the click that ends a drag presses nothing

  const isPressed = (index) => tokens[index].getAttribute("aria-pressed") === "true";
  const pressed = () => tokens.map((_, index) => isPressed(index));
  const press = (index, on) => tokens[index].setAttribute("aria-pressed", String(on));
  const restore = (states) => states.forEach((on, index) => press(index, on));

  function pressRange(from, to, on) {
    for (let index = Math.min(from, to); index <= Math.max(from, to); index++) press(index, on);
  }

  // ---- keys: one token is in the order of tabs, arrows lead to the others

  function focus(index) {
    const to = Math.max(0, Math.min(tokens.length - 1, index));
    tokens.forEach((token, number) => { token.tabIndex = number === to ? 0 : -1; });
    tokens[to].focus();
    return to;
  }

  tokens.forEach((token, number) => { token.type = "button"; token.tabIndex = number === 0 ? 0 : -1; });

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
      pressRange(index, to, true);
      changed();
    }
    anchor = to;
  });

  function inLine(index, step) {
    // the token above or below
    const start = tokens[index].getBoundingClientRect();
    const middle = (start.left + start.right) / 2;
    const others = tokens.map((token, number) => ({ number, box: token.getBoundingClientRect() }))
      .filter(({ box }) => step * (box.top - start.top) > start.height / 2);
    if (!others.length) return index;
    const nearest = Math.min(...others.map(({ box }) => Math.abs(box.top - start.top)));
    const line = others.filter(({ box }) => Math.abs(Math.abs(box.top - start.top) - nearest) < start.height / 2);
    const gap = ({ box }) => Math.abs((box.left + box.right) / 2 - middle);
    return line.reduce((best, token) => (gap(token) < gap(best) ? token : best)).number;
  }

  // ---- mouse and touch

  const indexAt = (event) => tokens.indexOf(event.target.closest && event.target.closest("button"));

  group.addEventListener("pointerdown", (event) => {
    const index = indexAt(event);
    if (index < 0 || event.button !== 0 || event.pointerType === "touch" || event.shiftKey) return;
    painting = !isPressed(index);
    before = pressed();
    anchor = index;
    event.target.releasePointerCapture?.(event.pointerId);
  });

  group.addEventListener("pointerover", (event) => {
    const index = indexAt(event);
    if (painting === null || index < 0 || !(event.buttons & 1)) return;
    restore(before);
    pressRange(anchor, index, painting);
  });

  const endOfDrag = () => {
    if (painting === null) return;
    painting = null;
    if (pressed().some((on, index) => on !== before[index])) {
      dragged = true;
      setTimeout(() => { dragged = false; });
      changed();
    }
  };

  addEventListener("pointerup", endOfDrag);
  addEventListener("pointercancel", endOfDrag);

  group.addEventListener("click", (event) => {
    const index = indexAt(event);
    if (index < 0) return;
    event.preventDefault();
    focus(index);
    if (dragged) return;
    if (event.shiftKey) pressRange(anchor, index, true);
    else {
      press(index, !isPressed(index));
      anchor = index;
    }
    changed();
  });

  return {
    tokens,
    indexAt,
    pressed,
    focus,
    bits: () => pressed().map((on) => (on ? "1" : "0")).join(""),
    set(states) {
      restore(states);
      changed();
    },
  };
}
