const MOUNTS = new WeakMap();
let library = null;
const load = (url) => window.vis?.Network ? Promise.resolve(window.vis) : (library ??= new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = url;
  script.onload = () => done(window.vis);
  script.onerror = () => { library = null; failed(new Error("The drawing library did not load: run `beacon doctor`.")); };
  document.head.appendChild(script);
}));
const theme = (host) => {
  const style = getComputedStyle(host);
  const read = (name, fallback) => style.getPropertyValue(`--st-${name}`).trim() || fallback;
  return {
    text: read("text-color", "#222"), ground: read("background-color", "#fff"), border: read("border-color", "#ccc"),
    accent: read("primary-color", "#b45309"), line: read("gray-color", "#999"), font: read("font", "sans-serif"),
    of: (family) => ({ line: read(`${family}-color`, "#777"), fill: read(`${family}-background-color`, "#eee") }),
  };
};
const dress = (data, look) => {
  const near = new Set(data.focus ? [data.focus] : []);
  const onPath = new Set(data.path);
  for (const e of data.edges) if (data.focus && (e.from === data.focus || e.to === data.focus)) { near.add(e.from); near.add(e.to); }
  const bright = onPath.size ? onPath : near;
  const dim = bright.size > 0;
  const nodes = data.nodes.map((n) => {
    const { line, fill } = look.of(n.family);
    const chosen = n.id === data.focus || onPath.has(n.id);
    const faint = dim && !bright.has(n.id);
    const chosenColours = { background: fill, border: look.accent };
    return {
      ...n, opacity: faint ? 0.28 : 1, borderWidth: chosen ? 4 : 1.5, borderWidthSelected: 4,
      color: { background: fill, border: chosen ? look.accent : line, highlight: chosenColours, hover: chosenColours },
      font: {
        color: faint ? look.border : look.text, face: look.font, size: n.fontSize, strokeWidth: 4, strokeColor: look.ground, vadjust: -2,
      },
    };
  });
  const edges = data.edges.map((e) => {
    const isNear = onPath.size ? onPath.has(e.from) && onPath.has(e.to) : e.from === data.focus || e.to === data.focus;
    const lit = dim && isNear;
    return {
      ...e, width: lit ? Math.max(e.width, 1.6) : e.width,
      color: { color: lit ? look.accent : look.line, opacity: dim ? (isNear ? 0.7 : 0.1) : 0.3, highlight: look.accent, hover: look.accent },
    };
  });
  return { nodes, edges };
};
const merge = (set, rows) => {
  const kept = new Set(rows.map((row) => row.id));
  set.remove(set.getIds().filter((id) => !kept.has(id)));
  set.update(rows);
};
const legend = (box, data, look) => {
  box.replaceChildren(...data.legend.map(({ sign, word, family }) => {
    const item = document.createElement("span");
    const mark = document.createElement("i");
    mark.textContent = sign;
    mark.style.color = look.of(family).line;
    item.append(mark, ` ${word}`);
    return item;
  }));
};
const calm = () => !window.matchMedia("(prefers-reduced-motion: reduce)").matches && { duration: 350, easingFunction: "easeInOutQuad" };
const report = (s) => {
  if (s.merging) return; // nodes of the last drawing are going, those of this one are not all there
  const place = (id) => s.net.canvasToDOM(s.net.getPosition(id));
  s.host.dataset.nodes = s.nodes.length;
  s.host.dataset.places = JSON.stringify(Object.fromEntries(s.data.nodes.slice(0, 12).map((n) => [n.label, place(n.id)])));
};
const draw = (s) => {
  const look = theme(s.host);
  const { nodes, edges } = dress(s.data, look);
  s.merging = true;
  merge(s.nodes, nodes);
  merge(s.edges, edges);
  s.merging = false;
  legend(s.legend, s.data, look);
  s.net.unselectAll();
  if (s.data.focus && s.nodes.get(s.data.focus)) s.net.selectNodes([s.data.focus], false);
  if (s.view !== s.data.view) { s.view = s.data.view; s.net.fit({ animation: false, maxZoomLevel: 1.6 }); }
  s.net.redraw();
};
const open = (s, vis) => {
  s.nodes = new vis.DataSet();
  s.edges = new vis.DataSet();
  s.net = new vis.Network(s.host, { nodes: s.nodes, edges: s.edges }, {
    physics: false, layout: { improvedLayout: false }, nodes: { scaling: { label: { drawThreshold: 8 } } },
    edges: { smooth: false, selectionWidth: 1, hoverWidth: 0.5 },
    interaction: {
      hover: true, tooltipDelay: 150, zoomSpeed: 0.7, hideEdgesOnDrag: s.data.nodes.length > 150, hideEdgesOnZoom: s.data.nodes.length > 150,
    },
  });
  s.net.on("click", (event) => { if (event.nodes.length) s.emit("node", event.nodes[0]); });
  s.net.on("hoverNode", () => { s.host.style.cursor = "pointer"; });
  s.net.on("blurNode", () => { s.host.style.cursor = "default"; });
  s.net.on("afterDrawing", () => report(s));
  const zoom = (factor) => s.net.moveTo({ scale: Math.min(4, Math.max(0.05, s.net.getScale() * factor)), animation: calm() });
  s.root.querySelector(".in").onclick = () => zoom(1.4);
  s.root.querySelector(".out").onclick = () => zoom(1 / 1.4);
  s.root.querySelector(".fit").onclick = () => s.net.fit({ animation: calm() });
};
export default function ({ data: raw, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(raw));
  const root = parentElement.querySelector(".graph");
  let s = MOUNTS.get(parentElement);
  const fresh = !s;
  if (fresh) MOUNTS.set(parentElement, s = { root, host: root.querySelector(".net"), legend: root.querySelector(".legend") });
  s.data = data;
  s.emit = setTriggerValue;
  root.style.height = `${data.height}px`;
  s.host.setAttribute("aria-label", data.label);
  if (s.net) draw(s);
  else if (fresh) load(data.library).then((vis) => {
    if (s.gone) return;
    open(s, vis);
    draw(s);
  }).catch((error) => { s.host.textContent = error.message; });
  return () => { s.gone = true; s.net?.destroy(); MOUNTS.delete(parentElement); };
}
