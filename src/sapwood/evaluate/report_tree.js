// The tree, a line for each node. The larger side of a split goes on straight down, the smaller is set aside: so a chain
// of thousands of nodes is a list, and no line is set aside further than the logarithm of the number of leaves.

function makeTree() {
  const tree = data.tree;
  if (!tree) {
    at("tree-section").hidden = true;
    return;
  }
  const LINE = 28, STEP = 18, FIRST_LINES = 40, LINES_AT_ONCE = 400;
  const { feature, off, on, n, below, counts, classes } = tree;
  const nameOf = (i) => tree.features[feature[i]];
  const isInner = (i) => on[i] >= 0;
  const branches = (i) => (tree.typed[i] ? tree.typed[i].slice(1) : ["off", "on"]);
  const list = at("tree");
  const open = new Set();
  const lines = new Map(); // the line of each node that is drawn
  let most = LINES_AT_ONCE;
  const largest = n.reduce((a, b) => Math.max(a, b), 0);

  const best = (i) => counts[i].indexOf(Math.max(...counts[i]));
  const share = (i, k) => (n[i] > 0 ? counts[i][k] / n[i] : 0);
  const percent = (part) => `${(100 * part).toFixed(part > 0 && part < 0.1 ? 1 : 0)} %`;

  // At first those nodes are open that most points go through.
  function openFirst() {
    open.clear();
    const waiting = [0].filter(isInner);
    for (let seen = 1; waiting.length && seen < FIRST_LINES; seen += 2) {
      waiting.sort((a, b) => n[a] - n[b]);
      const next = waiting.pop();
      open.add(next);
      waiting.push(...[off[next], on[next]].filter(isInner));
    }
  }

  function gutter(i, depth, straight) {
    const middle = LINE / 2;
    const column = (level) => 10 + level * STEP;
    const width = column(depth) + 12;
    let d = "";
    for (let level = 0; level < depth; level += 1) d += `M${column(level)} 0V${LINE}`;
    if (straight) d += `M${column(depth)} 0V${middle}`;
    else if (depth > 0) d += `M${column(depth - 1)} 0Q${column(depth - 1)} ${middle} ${column(depth)} ${middle}`;
    if (open.has(i)) d += `M${column(depth)} ${middle}V${LINE}`;
    const size = 3 + 6.5 * Math.sqrt(largest > 0 ? n[i] / largest : 0);
    const purity = share(i, best(i));
    const look = { class: `dot class${best(i) % tree.n_colours}`, "fill-opacity": (0.25 + 0.75 * purity).toFixed(2) };
    const place = isInner(i)
      ? svg("rect", { ...look, x: column(depth) - size, y: middle - size, width: 2 * size, height: 2 * size, rx: 2 })
      : svg("circle", { ...look, cx: column(depth), cy: middle, r: size });
    return svg("svg", { class: "gutter", width, height: LINE, "aria-hidden": "true" }, svg("path", { d }), place);
  }

  function bar(i) {
    const box = svg("svg", { class: "bar", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img" });
    box.setAttribute("aria-label", classes.map((name, k) => `${name} ${percent(share(i, k))}`).slice(0, 12).join(", "));
    let x = 0;
    classes.forEach((name, k) => {
      const width = 100 * share(i, k);
      if (width > 0) box.append(svg("rect", { class: `class${k % tree.n_colours}`, x, y: 0, width, height: 12 }));
      x += width;
    });
    return box;
  }

  function line(i, depth, straight, branch) {
    const item = html("li", { "data-node": i });
    // A condition on a number or a category takes the room that it needs, up to a limit; "on" and "off" stand in a column.
    const kind = branch === "" || branch === "on" || branch === "off" ? "branch" : "branch typed";
    item.append(gutter(i, depth, straight), html("span", { class: kind, text: branch, title: branch }));
    if (isInner(i)) {
      const folded = !open.has(i);
      const title = folded ? `unfold, ${counted(below[i] - 1, "node", "nodes")} below` : "fold";
      const click = () => {
        if (folded) open.add(i);
        else open.delete(i);
        draw();
        const again = lines.get(i);
        if (again) again.querySelector(".fold").focus();
      };
      const sign = folded ? "+" : "−";
      item.append(html("button", {
        class: "fold", type: "button", title, "aria-label": title, "aria-expanded": String(!folded), text: sign, click,
      }));
      const what = html("span", { class: "what" }, featureButton(nameOf(i)));
      if (folded) what.append(html("span", { class: "branch", text: `  … ${whole(below[i] - 1)} below` }));
      item.append(what);
    } else {
      item.append(html("span", { class: "nofold" }));
      const cut = tree.cut[i] ? ` … ${counted(tree.cut[i], "node", "nodes")} below, not in this page` : "";
      const text = `${classes[best(i)]} ${percent(share(i, best(i)))}${cut}`;
      item.append(html("span", { class: "what", text, title: text }));
    }
    const gain = isInner(i) ? decimal(tree.gain[i]) : "";
    item.append(bar(i), html("span", { class: "much", text: whole(n[i]) }), html("span", { class: "much gain", text: gain }));
    item.classList.toggle("hit", isInner(i) && nameOf(i) === chosen.feature);
    item.addEventListener("pointerenter", () => showNode(i));
    item.addEventListener("focusin", () => showNode(i));
    lines.set(i, item);
    return item;
  }

  function draw() {
    lines.clear();
    const found = document.createDocumentFragment();
    const waiting = [[0, 0, false, ""]];
    let drawn = 0;
    while (waiting.length && drawn < most) {
      const [i, depth, straight, branch] = waiting.pop();
      found.append(line(i, depth, straight, branch));
      drawn += 1;
      if (!open.has(i)) continue;
      const offFirst = below[off[i]] < below[on[i]];
      const [aside, ahead] = offFirst ? [off[i], on[i]] : [on[i], off[i]];
      const [offName, onName] = branches(i);
      const [asideName, aheadName] = offFirst ? [offName, onName] : [onName, offName];
      waiting.push([ahead, depth, true, aheadName], [aside, depth + 1, false, asideName]);
    }
    list.replaceChildren(found);
    const more = at("tree-more");
    more.replaceChildren();
    if (waiting.length) {
      const click = () => {
        most += LINES_AT_ONCE;
        draw();
      };
      more.append(html("button", { type: "button", class: "tool", text: `show ${LINES_AT_ONCE} more lines`, click }));
    }
  }

  const row = (name, value) => html("tr", {}, html("th", { text: name }), html("td", { class: "number", text: value }));

  function showNode(i) {
    if (chosen.feature !== null) return;
    const table = html("table");
    const order = classes.map((_, k) => k).sort((a, b) => counts[i][b] - counts[i][a]).slice(0, 12);
    for (const k of order) table.append(row(classes[k], `${whole(counts[i][k])} · ${percent(share(i, k))}`));
    table.append(row("points", whole(n[i])), row("depth", whole(tree.depth[i])));
    if (isInner(i)) {
      table.append(row("gain", `${decimal(tree.gain[i])}${tree.unit}`), row("ahead by", decimal(tree.margin[i])));
      table.append(row("split after", counted(tree.split_after[i], "point", "points")));
      table.append(row("in the stream", `at ${whole(tree.split_at[i])}`));
    } else if (tree.model[i]) {
      table.append(row("answers by", tree.model[i].replaceAll("_", " ")));
    }
    const title = isInner(i) ? (tree.typed[i] ? `${tree.typed[i][0]}?` : `Is ${nameOf(i)} on?`) : `Leaf: ${classes[best(i)]}`;
    at("detail").replaceChildren(html("h3", { text: title }), table);
  }

  function showFeature(name) {
    const where = [];
    for (let i = 0; i < n.length; i += 1) if (isInner(i) && nameOf(i) === name) where.push(i);
    where.sort((a, b) => n[b] - n[a]);
    const places = html("ol");
    for (const i of where.slice(0, 200)) {
      const text = `depth ${tree.depth[i]} · ${counted(n[i], "point", "points")} · gain ${decimal(tree.gain[i])}`;
      places.append(html("li", {}, html("button", { type: "button", text, click: () => reveal(i) })));
    }
    if (where.length > 200) places.append(html("li", { text: `and ${where.length - 200} more` }));
    const none = where.length ? "" : " It is in none now: its splits were given up.";
    at("detail").replaceChildren(
      html("h3", { text: `${name}` }),
      html("div", { text: `is tested in ${counted(where.length, "node", "nodes")}.${none}` }),
      places,
      html("p", {}, html("button", { type: "button", text: "let go", click: () => choose(name) })),
    );
  }

  // Unfolds what hides a node, and goes there.
  function reveal(i) {
    for (let above = tree.parent[i]; above >= 0; above = tree.parent[above]) open.add(above);
    draw();
    while (!lines.has(i) && most < n.length) {
      most += LINES_AT_ONCE;
      draw();
    }
    const there = lines.get(i);
    if (!there) return;
    there.scrollIntoView({ block: "center" });
    there.querySelector(".fold").focus();
  }

  chosen.listeners.push((name) => {
    for (const [i, item] of lines) item.classList.toggle("hit", isInner(i) && nameOf(i) === name);
    if (name === null) showNode(0);
    else showFeature(name);
  });

  function toolbar() {
    const box = at("tree-toolbar");
    const again = () => {
      most = LINES_AT_ONCE;
      draw();
    };
    const tool = (text, act) => html("button", { type: "button", class: "tool", text, click: () => { act(); again(); } });
    box.append(
      tool("largest nodes", openFirst),
      tool("fold all", () => open.clear()),
      tool("unfold all", () => { for (let i = 0; i < n.length; i += 1) if (isInner(i)) open.add(i); }),
    );
    classes.slice(0, tree.n_colours).forEach((name, k) => {
      const sample = svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
        svg("rect", { class: `class${k % tree.n_colours}`, width: 10, height: 10, rx: 2 }));
      box.append(html("span", { class: "key" }, sample, name));
    });
    const rest = classes.length - tree.n_colours;
    if (rest > 0) box.append(html("span", { text: `and ${rest} more classes` }));
  }

  at("tree-hint").textContent = tree.hint;
  toolbar();
  openFirst();
  draw();
  showNode(0);
}
