// The guides and the modules are open in the sidebar until a reader closes them.
try {
  for (const group of ["Tutorial", "Guides", "Testing guides", "Reference", "Explanation", "Modules"]) {
    const key = `tsd-accordion-${group}`;
    localStorage.setItem(key, localStorage.getItem(key) ?? "true");
  }
} catch {
  // A browser that stores nothing shows them closed.
}

// A table or a block of code that is wider than the page can be scrolled with the keyboard.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
});
for (const wide of document.querySelectorAll(".tsd-typography :is(table, pre, p:has(> img)), .tsd-signature"))
  sizes.observe(wide);

// In the sidebar, a summary only opens and closes: the link that was in it comes first among the contents.
new MutationObserver(() => {
  for (const link of document.querySelectorAll(".tsd-navigation summary a")) {
    const label = document.createElement("span");
    label.textContent = link.textContent;
    link.replaceWith(label);
    link.textContent = "Overview";
    link.classList.add("site-overview");
    label.closest("summary").after(link);
  }
}).observe(document.querySelector(".site-menu"), { childList: true, subtree: true });
