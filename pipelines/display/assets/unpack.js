// Data are in the page as deflated JSON in base64; a block is unpacked when it is needed.
const unpacked = new Map();
const CACHED = 6; // blocks

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

async function parsed(id) {
  const stream = new Blob([bytesOf(byId(id).textContent)]).stream();
  const plain = stream.pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text());
}

const loaded = new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve);
  else resolve();
});

async function unpack(id) {
  if (!byId(id)) await loaded; // it comes later in the page
  const found = unpacked.get(id) ?? parsed(id);
  unpacked.delete(id);
  unpacked.set(id, found);
  if (unpacked.size > CACHED) unpacked.delete(unpacked.keys().next().value);
  return found;
}

async function detailOf(index, place) {
  let block = index.starts.length - 1;
  while (index.starts[block] > place) block -= 1;
  const { examples, documents } = await unpack(`block-${block}`);
  return { ...examples[place - index.starts[block]], document: documents[index.document[place]] ?? null };
}
