// The table of splits, in the order in which they were made.

function makeSplits() {
  if (!data.splits.length) {
    at("splits-section").hidden = true;
    return;
  }
  const AT_ONCE = 50;
  const names = ["after points", "feature", "depth", "gain", "ahead by", "how", "given up by"];
  const body = html("tbody");
  const head = html("tr");
  names.forEach((name, i) => head.append(html("th", { class: i === 1 || i === 5 ? "" : "number", scope: "col", text: name })));
  at("splits").append(html("thead", {}, head), body);
  at("splits-hint").textContent = data.splits_hint;
  let drawn = 0;

  function drawMore(most) {
    for (const split of data.splits.slice(drawn, drawn + most)) {
      const row = html("tr", { "data-feature": split.feature });
      const number = (text) => html("td", { class: "number", text });
      row.append(
        number(whole(split.at)),
        html("td", { class: "long" }, featureButton(split.feature)),
        number(whole(split.depth)),
        number(decimal(split.gain)),
        number(decimal(split.margin)),
        html("td", { text: split.anew ? "anew" : "a leaf" }),
        number(split.until === null ? "" : whole(split.until)),
      );
      row.classList.toggle("hit", split.feature === chosen.feature);
      body.append(row);
    }
    drawn = Math.min(data.splits.length, drawn + most);
    const more = at("splits-more");
    more.replaceChildren();
    if (drawn < data.splits.length) {
      const text = `show ${Math.min(AT_ONCE * 10, data.splits.length - drawn)} more of ${whole(data.splits.length)}`;
      more.append(html("button", { type: "button", class: "tool", text, click: () => drawMore(AT_ONCE * 10) }));
    }
  }

  chosen.listeners.push((feature) => {
    for (const row of body.rows) row.classList.toggle("hit", row.dataset.feature === feature);
  });
  drawMore(AT_ONCE);
}

makeCurves();
makeTree();
makeSplits();
