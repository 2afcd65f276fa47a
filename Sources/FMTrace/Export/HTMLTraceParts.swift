/// The style and the script of the page.
enum HTMLTraceParts {
  static let style = """
    :root { color-scheme: light dark; --back: #fff; --text: #1b1b1f; --line: #d5d5dc; --soft: #f2f2f6; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #17171b; --text: #e6e6ea; --line: #3a3a42; --soft: #222228; }
    }
    body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em; background: var(--back);
      color: var(--text); }
    h1 { font-size: 1.4em; } h2 { font-size: 1.1em; }
    .warning { border: 2px solid #c33; padding: .4em .6em; }
    .review { list-style: none; padding: 0; } .review > li { margin: .3em 0; }
    .review b { display: inline-block; min-width: 2.2em; } .found b { color: #c33; }
    .clear b { color: #2a8a3e; } small { display: block; opacity: .8; }
    #scroll { overflow-x: auto; border: 1px solid var(--line); }
    #lanes { --zoom: 1; width: calc(100% * var(--zoom)); min-width: 100%; position: relative; }
    .lane { position: relative; border-bottom: 1px solid var(--line); min-height: 20px; }
    .lane:nth-child(even) { background: var(--soft); }
    .label { position: sticky; left: 4px; float: left; z-index: 2; font-size: 11px; opacity: .75;
      pointer-events: none; }
    .axis { height: 20px; } .tick { position: absolute; font-size: 10px; padding-left: 2px;
      border-left: 1px solid var(--line); } .tick:last-child { transform: translateX(-100%); }
    .bar { position: absolute; height: 18px; min-width: 2px; padding: 0 3px; border: 0;
      border-radius: 2px; overflow: hidden; white-space: nowrap; font: 11px/18px system-ui, sans-serif;
      text-align: left; color: #fff; background: #777; cursor: pointer; }
    .bar:focus, .bar.chosen { outline: 2px solid #f90; z-index: 1; }
    .session { background: #6b7280; } .request { background: #2563eb; }
    .inference { background: #0e7490; } .generation { background: #155e75; }
    .queue { background: #a16207; } .prefill { background: #b45309; } .decode { background: #15803d; }
    .toolCall { background: #9333ea; } .prewarm { background: #be185d; } .load { background: #475569; }
    .interval { background: #dc2626; }
    #detail td { padding: 0 1em .1em 0; vertical-align: top; }
    pre { white-space: pre-wrap; background: var(--soft); padding: .5em; max-height: 30em;
      overflow: auto; }
    """

  static let script = """
    "use strict";
    const spans = JSON.parse(document.getElementById("spans").textContent);
    const lanes = document.getElementById("lanes");
    const scroll = document.getElementById("scroll");
    let zoom = 1;
    function setZoom(value, at) {
      const middle = (scroll.scrollLeft + at) / (scroll.clientWidth * zoom);
      zoom = Math.min(1000, Math.max(1, value));
      lanes.style.setProperty("--zoom", zoom);
      scroll.scrollLeft = middle * scroll.clientWidth * zoom - at;
    }
    document.getElementById("in").onclick = () => setZoom(zoom * 2, scroll.clientWidth / 2);
    document.getElementById("out").onclick = () => setZoom(zoom / 2, scroll.clientWidth / 2);
    document.getElementById("all").onclick = () => setZoom(1, 0);
    scroll.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom(zoom * (event.deltaY < 0 ? 1.25 : 0.8), event.clientX - scroll.offsetLeft);
    }, { passive: false });
    function plain(text) { return String(text).replace(/[\\u202a-\\u202e\\u2066-\\u2069]/g, "\\ufffd"); }
    function row(table, key, value) {
      const line = table.insertRow();
      line.insertCell().textContent = plain(key);
      line.insertCell().textContent = plain(value);
    }
    function show(id) {
      const span = spans[id];
      if (!span) return;
      const detail = document.getElementById("detail");
      detail.replaceChildren();
      const heading = document.createElement("h2");
      heading.textContent = "#" + id + " " + plain(span.title);
      const table = document.createElement("table");
      row(table, "kind", span.kind);
      row(table, "start", span.start);
      row(table, "time", span.time);
      for (const key of Object.keys(span.attributes)) row(table, key, span.attributes[key]);
      detail.append(heading, table);
      for (const [key, text] of span.content) {
        const name = document.createElement("h3");
        name.textContent = plain(key);
        const body = document.createElement("pre");
        body.textContent = plain(text);
        detail.append(name, body);
      }
      for (const bar of lanes.querySelectorAll(".chosen")) bar.classList.remove("chosen");
      const bar = lanes.querySelector('[data-span="' + id + '"]');
      if (bar) { bar.classList.add("chosen"); bar.scrollIntoView({ block: "nearest", inline: "center" }); }
    }
    document.addEventListener("click", event => {
      const target = event.target.closest("[data-span]");
      if (!target) return;
      event.preventDefault();
      show(target.dataset.span);
    });
    """
}
