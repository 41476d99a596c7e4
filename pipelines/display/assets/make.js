// All elements are created here: children are nodes or text, and text is never parsed as markup.
function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function svgElement(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const scoreText = (value) => (value === null || value === undefined ? "–" : String(Math.round(value * 10) / 10));
const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "±") + scoreText(Math.abs(value));
const counted = (value, what) => `${number(value)} ${what}${value === 1 ? "" : "s"}`;
