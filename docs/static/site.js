/* What a keyboard and a screen reader need: what can be scrolled can be reached, a heading has a level, a text is its name. */
function reachable() {
  for (const pane of document.querySelectorAll("pre, .table-wrapper, div.math, .output, p:has(> img)")) {
    if (pane.scrollWidth > pane.clientWidth) pane.tabIndex = 0;
    else pane.removeAttribute("tabindex");
  }
}
/* Lets a name be broken behind its dots, underscores and slashes. */
function breakable(element) {
  for (const text of [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
    const parts = text.data.split(/(?<=[._/])(?=\w)/);
    text.replaceWith(...parts.flatMap((part, k) => (k ? [document.createElement("wbr"), part] : [part])));
  }
}
/* A name in a text stays on one line, which may be the next; one that fits no line of a phone is breakable. */
function unbroken() {
  for (const name of document.querySelectorAll("code .pre")) {
    if (name.getClientRects().length < 2) continue;
    if (name.textContent.length <= 24) name.style.whiteSpace = "nowrap";
    else breakable(name);
  }
}
if (matchMedia("(max-width: 30rem)").matches) document.querySelectorAll("td code .pre, th code .pre").forEach(breakable);
document.querySelectorAll("article :is(h1, h2, h3)").forEach(breakable);
for (const adapt of [reachable, unbroken]) for (const event of ["load", "resize"]) addEventListener(event, adapt);
for (const heading of document.querySelectorAll("[role=heading]:not([aria-level])")) heading.setAttribute("aria-level", "2");
for (const summary of document.querySelectorAll("summary[aria-label]")) summary.removeAttribute("aria-label");
document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
