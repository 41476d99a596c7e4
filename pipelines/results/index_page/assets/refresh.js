// While runs go on the page is written again, and loads itself again. Place and focus are kept in the history's entry.
const STALE = 60; // seconds after which nobody writes the page any more
const TYPING = 2000; // milliseconds without a key before it loads itself again
let touched = -TYPING;

function keepPlace() {
  const focus = document.activeElement;
  const caret = focus?.selectionStart ?? null;
  const boxes = [...document.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  history.replaceState({ top: scrollY, focus: focus?.id ?? "", caret, boxes }, "");
}

function restorePlace() {
  const kept = history.state;
  if (!kept || performance.getEntriesByType("navigation")[0]?.type !== "reload") return;
  document.querySelectorAll(".scroll").forEach((box, n) => { box.scrollLeft = kept.boxes?.[n] ?? 0; });
  const focus = kept.focus && byId(kept.focus);
  if (focus) focus.focus({ preventScroll: true });
  if (focus && kept.caret !== null) focus.setSelectionRange?.(kept.caret, kept.caret);
  scrollTo({ top: kept.top, behavior: "instant" });
}

const busy = () => performance.now() - touched < TYPING || document.hidden
  || !getSelection().isCollapsed || document.activeElement?.tagName === "SELECT";

function showRefreshing(running) {
  const button = byId("refreshing");
  button.hidden = !running;
  button.textContent = state.live === "1" ? "Pause" : "Refresh";
}

function startRefreshing() {
  const { refresh, written } = document.documentElement.dataset;
  showRefreshing(Boolean(refresh));
  if (!refresh) return;
  const age = () => Date.now() / 1000 - Number(written);
  const opened = performance.now();
  const wait = Math.max(Number(refresh) * 1000, 10 * opened); // a large page is loaded less often
  addEventListener("keydown", () => { touched = performance.now(); });
  addEventListener("pointerdown", () => { touched = performance.now(); });
  byId("refreshing").addEventListener("click", () => {
    change({ live: state.live === "1" ? "0" : "1" });
    showRefreshing(true);
  });
  setInterval(() => {
    if (state.live !== "1" || performance.now() - opened < wait || busy()) return;
    if (age() > Math.max(STALE, 3 * wait / 1000)) {
      byId("written").textContent = "This page is no longer kept up to date: longdoc view writes it again";
      return;
    }
    keepPlace();
    location.reload();
  }, 500);
}
