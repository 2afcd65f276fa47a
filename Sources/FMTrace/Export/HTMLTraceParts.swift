/// The style and the script of the page.
enum HTMLTraceParts {
  static let style = """
    :root { color-scheme: light dark; --back: #fff; --text: #1b1b1f; --line: #d5d5dc; --soft: #f2f2f6;
      --dim: #5b5b66; --yes: #b3261e; --no: #1f7a33; --link: #1d57ad; --gutter: 7.5rem; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --back: #17171b; --text: #e6e6ea; --line: #3a3a42; --soft: #222228; --dim: #a9a9b6;
        --yes: #ff8a80; --no: #7bd88f; --link: #8db8ff; }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; scroll-padding-bottom: 42vh; }
    body { font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      margin: 1.5em; background: var(--back); color: var(--text); font-variant-numeric: tabular-nums; }
    h1 { font-size: 1.4em; overflow-wrap: anywhere; } h2 { font-size: 1.1em; }
    a { color: var(--link); }
    .warning { border: 2px solid var(--yes); padding: .4em .6em; }
    .review { list-style: none; padding: 0; max-width: 68rem; overflow-wrap: anywhere; }
    .review > li { margin: .5em 0; padding-left: 2.6em; }
    .review > li > b { float: left; width: 2.6em; margin-left: -2.6em; }
    .review ul { padding-left: 1.2em; }
    .found b { color: var(--yes); } .clear b { color: var(--no); }
    small { display: block; color: var(--dim); margin-top: .2em; }
    .zoom button { font: inherit; min-width: 2.2em; }
    #scroll { overflow-x: auto; border: 1px solid var(--line); }
    #scroll:focus-visible, #detail:focus-visible { outline: 2px solid var(--link); }
    #lanes { --zoom: 1; position: relative; min-width: 100%; overflow-x: clip;
      width: calc(var(--gutter) + (100% - var(--gutter)) * var(--zoom)); }
    .lane { position: relative; margin-left: var(--gutter); border-bottom: 1px solid var(--line);
      min-height: 20px; }
    .label { position: sticky; left: 0; z-index: 3; float: left; margin-left: calc(-1 * var(--gutter));
      width: var(--gutter); height: 100%; padding: 2px 6px; font-size: 11px; overflow: hidden;
      color: var(--dim); background: var(--soft); border-right: 1px solid var(--line);
      white-space: nowrap; text-overflow: ellipsis; }
    .axis { height: 20px; } .tick { position: absolute; font-size: 10px; padding-left: 2px;
      white-space: nowrap; color: var(--dim); border-left: 1px solid var(--line); }
    .tick:last-child { transform: translateX(-100%); border: 0; padding-right: 2px; }
    .bar { position: absolute; height: 18px; min-width: 2px; padding: 0 3px; border: 0;
      border-radius: 2px; overflow: hidden; white-space: nowrap; font: 11px/18px system-ui, sans-serif;
      text-align: left; color: #fff; background: #777; cursor: pointer; }
    .bar:focus, .bar.chosen { outline: 2px solid #f90; z-index: 1; }
    .session { background: #6b7280; } .request { background: #2563eb; }
    .inference { background: #0e7490; } .generation { background: #155e75; }
    .queue { background: #a16207; } .prefill { background: #b45309; } .decode { background: #15803d; }
    .toolCall { background: #9333ea; } .prewarm { background: #be185d; } .load { background: #475569; }
    .interval { background: #57534e; }
    .session, .request { border-left: 1px solid var(--back); }
    pre { white-space: pre-wrap; background: var(--soft); padding: .5em; max-height: 30em;
      overflow: auto; }
    .numbers { white-space: pre; overflow-x: auto; }
    #detail { margin-top: 1em; padding: 0 .8em .6em; background: var(--back); border: 1px solid var(--line); }
    #detail.open { position: sticky; bottom: 0; z-index: 4; max-height: 40vh; overflow: auto; }
    #detail h2 { margin: .5em 0; } #detail p { margin: .3em 0; }
    #detail td { padding: 0 1em .1em 0; vertical-align: top; overflow-wrap: anywhere; }
    #detail td:first-child { color: var(--dim); overflow-wrap: normal; }
    @media print, (max-width: 64rem) { .tick:nth-child(odd) { display: none; } }
    @media (max-width: 40rem) {
      :root { --gutter: 5.5rem; } body { margin: 1em; }
      .tick { display: none; }
      .tick:nth-child(2), .tick:nth-child(7), .tick:last-child { display: inline; }
    }
    @media print {
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      body { margin: 0; } .zoom, #detail { display: none; } #scroll { overflow: visible; }
      pre, .numbers { max-height: none; white-space: pre-wrap; }
      .lane, .review > li { break-inside: avoid; } h2 { break-after: avoid; }
    }
    """

  static let script = """
    "use strict";
    const spans = JSON.parse(document.getElementById("spans").textContent);
    const lanes = document.getElementById("lanes");
    const scroll = document.getElementById("scroll");
    let zoom = 1;
    function setZoom(value, at) {
      // The labels' column keeps its width.
      const gutter = lanes.querySelector(".label").offsetWidth;
      const width = scroll.clientWidth - gutter;
      const middle = (scroll.scrollLeft + at - gutter) / (width * zoom);
      zoom = Math.min(1000, Math.max(1, value));
      lanes.style.setProperty("--zoom", zoom);
      scroll.scrollLeft = middle * width * zoom - at + gutter;
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
      detail.classList.add("open");
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
    // One stop for the tab key; from there arrow keys go on.
    const bars = Array.from(lanes.querySelectorAll(".bar"));
    let current = 0;
    bars.forEach((bar, place) => { bar.tabIndex = place === 0 ? 0 : -1; });
    function move(place) {
      if (place < 0 || place >= bars.length) return;
      bars[current].tabIndex = -1;
      current = place;
      bars[current].tabIndex = 0;
      bars[current].focus();
    }
    lanes.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step || !event.target.classList.contains("bar")) return;
      event.preventDefault();
      move(current + step);
    });
    lanes.addEventListener("focusin", event => {
      const place = bars.indexOf(event.target);
      if (place < 0 || place === current) return;
      bars[current].tabIndex = -1;
      current = place;
      bars[current].tabIndex = 0;
    });
    document.addEventListener("keydown", event => {
      // Gives the place at the bottom of the window back.
      if (event.key === "Escape") document.getElementById("detail").classList.remove("open");
    });
    document.addEventListener("click", event => {
      const target = event.target.closest("[data-span]");
      if (!target) return;
      event.preventDefault();
      show(target.dataset.span);
    });
    """
}
