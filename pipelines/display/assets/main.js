// Starts when the index is loaded; the blocks after it may still be loading.
function hashChanged() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes("=")) return; // a section of the page
  const before = state.example;
  readState();
  showControls();
  showList();
  if (before && !state.example) leaveDetail(before);
  if (document.activeElement?.closest("#stages")) byId("examples").scrollIntoView({ block: "start" });
  showDetail("moved");
}

// Why there are no passages, and the command that shows them.
function noTextMessage() {
  const command = `longdoc report ${index.folder} --data PATH --out report.html`;
  return `Passages are not shown: ${index.no_text_reason}. To see them, say where the data are: ${command}`;
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
  const missing = [index.no_text_reason && noTextMessage(), index.limited].filter(Boolean).join(" ");
  byId("no-text").textContent = missing;
  byId("no-text").hidden = !missing;
  startPlot();
  startList();
  addEventListener("hashchange", hashChanged);
  if (state.example) await showDetail("moved");
  ready();
}

start().catch((error) => {
  byId("count").textContent = `The examples could not be shown (${error.message}): open this page in a newer browser.`;
  throw error;
});
