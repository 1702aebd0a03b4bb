// The curves over the stream: small charts with one cursor in common.

function niceStep(span, most) {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough);
}

function ticks(low, high, most) {
  const step = niceStep(high - low, most);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) found.push(i * step);
  return found;
}

function axisLabel(value, step, format) {
  if (format === "bytes") return inBytes(Number(value.toPrecision(3))).replace(".0 ", " ");
  if (step < 1) return value.toFixed(Math.min(6, Math.max(0, Math.ceil(-Math.log10(step)))));
  for (const [size, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))}${sign}`;
  }
  return String(Math.round(value));
}

function makeCurves() {
  const box = at("curves");
  const n = data.columns.n;
  const width = 420, height = 210, left = 58, right = 10, top = 10, bottom = 34;
  const last = n.length ? n[n.length - 1] : 1;
  const x = (value) => left + ((width - left - right) * value) / last;
  const charts = [];

  function makeChart(panel) {
    const lines = panel.lines.filter((line) => data.columns[line.column].some((v) => v !== null));
    if (!lines.length) return;
    const values = lines.flatMap((line) => data.columns[line.column].filter((v) => v !== null));
    let low = Math.min(...values), high = Math.max(...values);
    if (panel.zero) low = 0;
    if (high - low < 1e-9) {
      high += Math.abs(high) * 0.1 || 1;
      if (!panel.zero) low -= Math.abs(low) * 0.1 || 1;
    }
    const margin = panel.zero ? 0 : (high - low) * 0.05;
    low -= margin;
    high += (high - low) * 0.05;
    if (panel.most !== undefined && high > panel.most) high = panel.most;
    const y = (value) => top + ((height - top - bottom) * (high - value)) / (high - low);

    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0" });
    const end = lines.map((line) => `${line.label} ${written[panel.format](data.columns[line.column].at(-1))}`);
    chart.setAttribute("aria-label", `${panel.title} over the stream; at the end: ${end.join(", ")}`);
    const marks = ticks(low, high, 5);
    const step = marks.length > 1 ? marks[1] - marks[0] : 1;
    for (const value of marks) {
      chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
      const text = axisLabel(value, step, panel.format);
      chart.append(svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", text }));
    }
    const moments = ticks(0, last, 4);
    for (const value of moments) {
      const anchor = value === 0 ? "start" : x(value) > width - 30 ? "end" : "middle";
      const text = axisLabel(value, moments[1] || 1, "whole");
      chart.append(svg("text", { x: x(value), y: height - 4, "text-anchor": anchor, text }));
    }
    chart.append(svg("path", { class: "drift", d: linePath(data.drift_at) }));
    chart.append(svg("path", { class: "swap", d: linePath(data.swap_at) }));
    chart.append(svg("path", { class: "tick", d: tickPath(data.split_at, 5) }));
    const hits = svg("path", { class: "tick-hit", d: "" });
    chart.append(hits);
    const legend = html("div", { class: "legend" });
    const readings = [];
    for (const line of lines) {
      chart.append(svg("path", { class: `line line-${line.style}`, d: path(data.columns[line.column], y) }));
      const reading = html("b");
      const sample = svg("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" },
        svg("path", { class: `line line-${line.style}`, d: "M1 5H25" }));
      legend.append(html("span", {}, sample, `${line.label} `, reading));
      readings.push([line.column, reading]);
    }
    const cursor = svg("line", { class: "cursor", y1: top, y2: height - bottom, visibility: "hidden" });
    chart.append(cursor);
    chart.addEventListener("pointermove", (event) => {
      const place = chart.getBoundingClientRect();
      const there = ((event.clientX - place.left) * width) / place.width;
      show(nearest(((there - left) * last) / (width - left - right)));
    });
    chart.addEventListener("pointerleave", () => show(null));
    chart.addEventListener("blur", () => show(null));
    chart.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      show(Math.max(0, Math.min(n.length - 1, (shown === null ? n.length - 1 : shown) + by)));
    });
    box.append(html("figure", {}, html("figcaption", {}, panel.title, legend), chart));
    charts.push({ cursor, hits, readings, format: panel.format });
  }

  function path(values, y) {
    const parts = [];
    let pen = "M";
    values.forEach((value, i) => {
      if (value === null) {
        pen = "M";
        return;
      }
      parts.push(`${pen}${x(n[i]).toFixed(1)} ${y(value).toFixed(1)}`);
      pen = "L";
    });
    // A single point is seen as a dot by its round ends.
    if (parts.length === 1) parts.push("h0.1");
    return parts.join("");
  }

  // Many splits fall on one place; one tick is drawn for all of them.
  function tickPath(moments, length) {
    const places = new Set(moments.map((moment) => Math.round(x(moment) * 2) / 2));
    return Array.from(places, (place) => `M${place} ${height - bottom + 3}v${length}`).join("");
  }

  // From the top to the bottom, at moments that concern all of the chart.
  function linePath(moments) {
    const places = new Set(moments.map((moment) => Math.round(x(moment) * 2) / 2));
    return Array.from(places, (place) => `M${place} ${top}V${height - bottom}`).join("");
  }

  function nearest(moment) {
    let low = 0, high = n.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (n[middle] < moment) low = middle + 1;
      else high = middle;
    }
    return low > 0 && moment - n[low - 1] < n[low] - moment ? low - 1 : low;
  }

  let shown = null;

  function show(i) {
    shown = i;
    const row = i === null ? n.length - 1 : i;
    for (const chart of charts) {
      chart.cursor.setAttribute("visibility", i === null ? "hidden" : "visible");
      chart.cursor.setAttribute("x1", x(n[row]));
      chart.cursor.setAttribute("x2", x(n[row]));
      for (const [column, reading] of chart.readings) {
        reading.textContent = written[chart.format](data.columns[column][row]);
      }
    }
    const from = i === null || row === 0 ? 0 : n[row - 1];
    const made = data.splits.filter((split) => split.at > from && split.at <= n[row]);
    let text = i === null ? `At the end, after ${whole(n[row])} points` : `After ${whole(n[row])} points`;
    if (i !== null && made.length) {
      const names = made.slice(0, 6).map((split) => split.feature).join(", ");
      const rest = made.length > 6 ? ` and ${made.length - 6} more` : "";
      text += ` · ${counted(made.length, "split", "splits")} since ${whole(from)}: ${names}${rest}`;
    }
    at("moment").textContent = text;
  }

  if (!n.length) {
    box.append(html("p", { text: "No point was evaluated." }));
    return;
  }
  data.panels.forEach(makeChart);
  show(null);
  chosen.listeners.push((feature) => {
    const moments = data.splits.filter((split) => split.feature === feature).map((split) => split.at);
    for (const chart of charts) chart.hits.setAttribute("d", tickPath(moments, 9));
  });
}
