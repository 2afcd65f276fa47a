extension ReportPage {
  /// What makes the page handier: tables that sort and filter, a reading under the pointer.
  ///
  /// All of the page is there without it.
  static let script: StaticString = """
    "use strict";
    document.documentElement.classList.add("scripted");
    for (const table of document.querySelectorAll("table.sorts")) {
      const body = table.tBodies[0];
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        while (head.firstChild) button.append(head.firstChild);
        head.append(button);
        button.addEventListener("click", () => {
          const up = head.classList.contains("sorted") && !head.classList.contains("up");
          for (const other of table.tHead.rows[0].cells) {
            other.classList.remove("sorted", "up");
            other.removeAttribute("aria-sort");
          }
          head.classList.add("sorted");
          head.classList.toggle("up", up);
          head.setAttribute("aria-sort", up ? "ascending" : "descending");
          const value = row => {
            const cell = row.cells[column];
            return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
          };
          const order = (a, b) => {
            const x = value(a), y = value(b);
            if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
            const sign = typeof x === "number" ? x - y : x.localeCompare(y);
            return up ? sign : -sign;
          };
          body.append(...[...body.rows].sort(order));
        });
      });
    }
    for (const input of document.querySelectorAll("input[data-filter]")) {
      const rows = input.closest("details").querySelectorAll("tbody tr");
      input.addEventListener("input", () => {
        const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
        for (const row of rows) {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every(word => text.includes(word));
        }
      });
    }
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    document.body.append(tip);
    const round = value => Number(value.toPrecision(3)).toLocaleString("en");
    for (const svg of document.querySelectorAll("svg.scatter")) {
      const [left, right] = svg.dataset.x.split(" ").map(Number);
      const [low, high, isLog] = svg.dataset.y.split(" ").map(Number);
      svg.addEventListener("pointermove", event => {
        const box = svg.getBoundingClientRect();
        const x = left + (right - left) * (event.clientX - box.left) / box.width;
        const part = 1 - (event.clientY - box.top - 12) / 228;
        if (part < 0 || part > 1) { tip.hidden = true; return; }
        const y = isLog ? low * Math.pow(high / low, part) : low + (high - low) * part;
        tip.textContent = round(x) + " tokens, " + round(y) + " " + svg.dataset.unit;
        tip.hidden = false;
        const width = document.documentElement.clientWidth - tip.offsetWidth - 8;
        tip.style.left = Math.min(event.clientX + 12, width) + window.scrollX + "px";
        tip.style.top = event.clientY - 30 + window.scrollY + "px";
      });
      svg.addEventListener("pointerleave", () => { tip.hidden = true; });
    }
    addEventListener("beforeprint", () => {
      for (const part of document.querySelectorAll("details")) part.open = true;
    });
    """
}
