/** The site beyond typedoc's own theme: a bar of links, previous and next, the order of search results, and accessible markup. */

import {
  type Application,
  Converter,
  type DefaultThemeRenderContext,
  type DocumentReflection,
  IndexEvent,
  JSX,
  PageEvent,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
} from "typedoc";

/** Pages outside of `docs/`, which have no title and group of their own. */
const PROJECT_PAGES: Record<string, string> = {
  CHANGELOG: "Changelog",
  CONTRIBUTING: "Contributing",
  SECURITY: "Security",
};

export function load(app: Application): void {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_: undefined, page: DocumentReflection) => {
    const title = PROJECT_PAGES[page.name];
    if (title === undefined) return;
    page.name = title;
    page.frontmatter.group = "Project";
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, rankResults);
  app.renderer.hooks.on("content.end", neighbors);
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    if (page.contents === undefined) return;
    const base = "../".repeat(page.url.split("/").length - 1);
    page.contents = accessible(page.contents);
    for (const link of Object.values(app.options.getValue("navigationLinks")))
      page.contents = page.contents.replaceAll(`<a href="${link}"`, `<a href="${base}${link}"`);
  });
}

/** A guide with the word among its `keywords` or in a heading comes first, then exported symbols, then their members. */
function rankResults(event: IndexEvent): void {
  Object.assign(event.searchFieldWeights, { headings: 40, keywords: 4000 });
  for (const [index, result] of event.searchResults.entries()) {
    if (result.isDocument())
      event.searchFields[index] = {
        headings: headingsOf(result),
        keywords: String(result.frontmatter.keywords ?? ""),
      };
    else if (!isExport(result)) result.relevanceBoost = 0.02;
  }
}

function isExport(result: Reflection): boolean {
  return result.parent?.kindOf(ReflectionKind.SomeModule | ReflectionKind.Project) ?? true;
}

/** Without code, so that the name of a function finds the function first. */
function headingsOf(page: DocumentReflection): string {
  const markdown = page.content.map(({ text }) => text).join("");
  const headings = [...markdown.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading]) => heading).join("\n");
}

function neighbors(context: DefaultThemeRenderContext): JSX.Element {
  const { model, project } = context.page as PageEvent & { project: ProjectReflection };
  const guides = (project.documents ?? []).filter(({ frontmatter }) => frontmatter.group !== "Project");
  const at = guides.indexOf(model as DocumentReflection);
  if (at === -1) return JSX.createElement(JSX.Fragment, null);
  const link = (label: string, page: DocumentReflection | undefined) =>
    page &&
    JSX.createElement(
      "a",
      { href: context.urlTo(page), rel: label.toLowerCase(), class: `site-${label.toLowerCase()}` },
      JSX.createElement("small", null, label),
      page.name,
    );
  const links = [link("Previous", guides[at - 1]), link("Next", guides[at + 1])];
  return JSX.createElement("nav", { class: "site-neighbors", "aria-label": "Guides" }, ...links);
}

/** Landmarks, levels of headings without gaps, no link inside of a summary, no header cell without text. */
function accessible(html: string): string {
  let level = 0;
  return html
    .replace('class="col-content"', 'class="col-content" role="main"')
    .replace('class="col-sidebar"', 'class="col-sidebar" role="complementary" aria-label="Navigation"')
    .replace('id="tsd-sidebar-links"', 'id="tsd-sidebar-links" aria-label="Parts of the site"')
    .replace('id="tsd-toolbar-links"', 'id="tsd-toolbar-links" role="navigation" aria-label="Site"')
    .replaceAll("<th></th>", "<td></td>")
    .replace(/<summary[\s\S]*?<\/summary>/g, (summary) =>
      summary.replace(/<a [^>]*class="tsd-anchor-icon"[\s\S]*?<\/a>/g, ""),
    )
    .replace(/<h([1-6])(?=[ >])/g, (heading, digit) => {
      const gap = Number(digit) > level + 1;
      level = gap ? level + 1 : Number(digit);
      return gap ? `${heading} aria-level="${level}"` : heading;
    });
}
