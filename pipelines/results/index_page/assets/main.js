function hashChanged() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes("=")) return change({}); // a section of the page: the view stays in the address
  readState();
  showControls();
  return showRows();
}

function start() {
  startTheme();
  readGroups();
  groups.forEach(({ table }) => headings(table));
  startSections();
  readState();
  startControls();
  showRows();
  addEventListener("hashchange", hashChanged);
  restorePlace();
  startRefreshing();
  performance.mark("longdoc-ready");
  document.documentElement.dataset.ready = "yes";
}

start();
