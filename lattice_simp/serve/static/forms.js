// What forms of annotators and raters share.

// Sends a form once: a second click while the first is under way does nothing.
export function sendOnce(form) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => { sent = false; });
}

// Whether a key is pressed without another one that makes it a command of the browser.
export const isPlain = (event) => !event.ctrlKey && !event.altKey && !event.metaKey;
