// Begins when the index is there; the blocks behind it may still be on their way.
function moved() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes("=")) return; // a section of the page
  const before = state.example;
  readState();
  showControls();
  showList();
  if (before && !state.example) leaveDetail(before);
  showDetail("moved");
}

// Why there are no passages, and what to type to see them.
function lacking() {
  const command = `longdoc report ${index.folder} --data PATH --out report.html`;
  return `Passages are not shown: ${index.lacking}. To see them, say where the data are: ${command}`;
}

function ready() {
  performance.mark("longdoc-ready");
  document.documentElement.dataset.ready = "yes";
}

async function start() {
  startTheme();
  startTables();
  startSections();
  index = await unpack("index");
  readState();
  const missing = [index.lacking && lacking(), index.limited].filter(Boolean).join(" ");
  byId("lacking").textContent = missing;
  byId("lacking").hidden = !missing;
  startPlot();
  startList();
  addEventListener("hashchange", moved);
  if (state.example) await showDetail("moved");
  ready();
}

start().catch((error) => {
  byId("count").textContent = `The examples could not be shown (${error.message}): open this page in a newer browser.`;
  throw error;
});
