// Light, dark, or as in the system settings. The choice is stored where the browser allows local files to store data.
const THEMES = { auto: "light dark", light: "light", dark: "dark" };

function storedTheme() {
  try {
    return localStorage.getItem("longdoc-theme");
  } catch {
    return null;
  }
}

function storeTheme(theme) {
  try {
    localStorage.setItem("longdoc-theme", theme);
  } catch {
    // without storage the choice lasts for this page view
  }
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.colorScheme = THEMES[theme];
  byId("theme").textContent = `Theme: ${theme}`;
}

function startTheme() {
  const names = Object.keys(THEMES);
  const button = byId("theme");
  applyTheme(names.includes(storedTheme()) ? storedTheme() : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
    applyTheme(next);
    storeTheme(next);
  });
}
