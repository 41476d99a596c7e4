// Light, dark, or as the system has it. The choice is kept where the browser lets a local file keep anything.
const THEMES = { auto: "light dark", light: "light", dark: "dark" };

function kept() {
  try {
    return localStorage.getItem("longdoc-theme");
  } catch {
    return null;
  }
}

function keep(theme) {
  try {
    localStorage.setItem("longdoc-theme", theme);
  } catch {
    // a browser that keeps nothing asks again next time
  }
}

function wear(theme) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.colorScheme = THEMES[theme];
  byId("theme").textContent = `Theme: ${theme}`;
}

function startTheme() {
  const names = Object.keys(THEMES);
  const button = byId("theme");
  wear(names.includes(kept()) ? kept() : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
    wear(next);
    keep(next);
  });
}
