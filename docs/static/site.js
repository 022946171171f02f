/* What a keyboard and a screen reader need: what can be scrolled can be reached, a heading has a level, a text is its name. */
function reachable() {
  for (const pane of document.querySelectorAll("pre, .table-wrapper, div.math, .output, p:has(> img)")) {
    if (pane.scrollWidth > pane.clientWidth) pane.tabIndex = 0;
    else pane.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
/* On a phone a long name in a table breaks behind a dot or an underscore. */
if (matchMedia("(max-width: 30rem)").matches) {
  for (const name of document.querySelectorAll("td code .pre")) name.innerHTML = name.innerHTML.replace(/[._](?=\w)/g, "$&<wbr>");
}
for (const heading of document.querySelectorAll("[role=heading]:not([aria-level])")) heading.setAttribute("aria-level", "2");
for (const summary of document.querySelectorAll("summary[aria-label]")) summary.removeAttribute("aria-label");
document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
