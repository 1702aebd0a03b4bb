// What the parts of the page share: making elements, writing numbers, and the feature that is looked at.
// Text from the data is only ever set as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "text") element.textContent = value;
    else if (name === "click") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  for (const child of children || []) element.append(child);
  return element;
}

const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const at = (id) => document.getElementById(id);

const whole = (n) => Math.round(n).toLocaleString("en-GB").replaceAll(",", "\u202f");

function decimal(x) {
  if (x === null || x === undefined) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-4) return x.toExponential(1);
  return x.toFixed(size < 1 ? 4 : size < 100 ? 2 : 0);
}

function inBytes(n) {
  if (n === null) return "–";
  for (const unit of ["B", "kB", "MB"]) {
    if (Math.abs(n) < 1000) return `${unit === "B" ? n : n.toFixed(1)} ${unit}`;
    n /= 1000;
  }
  return `${n.toFixed(1)} GB`;
}

const written = {
  share: decimal,
  whole: (n) => (n === null ? "–" : whole(n)),
  bytes: inBytes,
};

const counted = (n, one, many) => `${whole(n)} ${n === 1 ? one : many}`;

// The feature that was clicked, and who wants to know.
const chosen = { feature: null, listeners: [] };

function choose(feature) {
  chosen.feature = chosen.feature === feature ? null : feature;
  for (const tell of chosen.listeners) tell(chosen.feature);
}

const featureButton = (feature) =>
  html("button", { class: "feature", type: "button", title: feature, text: feature, click: () => choose(feature) });
