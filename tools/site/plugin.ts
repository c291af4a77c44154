/** The site beyond typedoc's own theme: a bar of links, previous and next, the order of search results, and accessible markup. */

import {
  type Application,
  Comment,
  CommentTag,
  type Context,
  Converter,
  type DeclarationReflection,
  type DefaultThemeRenderContext,
  type DocumentReflection,
  IndexEvent,
  JSX,
  PageEvent,
  type ProjectReflection,
  Reflection,
  ReflectionKind,
} from "typedoc";

/** Pages outside of `docs/`, which have no title and group of their own. */
const PROJECT_PAGES: Record<string, readonly [title: string, description: string]> = {
  CHANGELOG: ["Changelog", "What has changed in each version of async-music."],
  CONTRIBUTING: ["Contributing", "How the code of async-music is laid out, tested and released."],
  SECURITY: [
    "Security",
    "What async-music promises about keys, charges and files, and how to report a vulnerability.",
  ],
};

/** The group of the API reference in which the exports of a folder or file stand: the first that matches. `categoryOrder` in `typedoc.json` has their order. */
const CATEGORIES: readonly (readonly [path: RegExp, category: string])[] = [
  [/^src\/(client|account|tasks\/tasks)\.ts$/, "Client"],
  [/^src\/options\.ts$/, "Options"],
  [/^src\/errors\//, "Errors"],
  [/^src\/(journal\/|follow\/|settle-|relay\.ts)/, "Journals"],
  [/^src\/(budget\/|memory-budget\.ts)/, "Budgets"],
  [/^src\/rate-limit\//, "Rate limit"],
  [/^src\/(audio|node\/save-audio)/, "Audio"],
  [/^src\/contract\/(requests|inputs|prices|request-)/, "Requests"],
  [/^src\/contract\/(task|responses)/, "Tasks and results"],
  [/^src\/contract\//, "Constants and types"],
  [/^src\/tasks\/(options|create-task)/, "Options"],
  [/^src\/tasks\//, "Tasks and results"],
  [/^src\/(http|time)\//, "Events and clocks"],
  [/^emulator\/control\/(create-emulator|emulator)\.ts$/, "Emulator"],
  [/^emulator\/core\/(providers|faults|policy-fields|rate-limit)\.ts$/, "Outcomes, faults and policy"],
  [/^emulator\/(control\/compliance|core\/log\/)/, "Requests and findings"],
  [/^emulator\/core\/payments\//, "Payments and invoices"],
  [/^emulator\/core\/(seed-file\/|state\.ts)/, "Seed files and snapshots"],
  [/^emulator\/(time|future)\//, "Time and later versions"],
];

/** The files of the repository, as typedoc names them. */
const ROOT = `${process.cwd().replaceAll("\\", "/")}/`;

export function load(app: Application): void {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, categorize);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_: undefined, page: DocumentReflection) => {
    const [title, description] = PROJECT_PAGES[page.name] ?? [];
    if (title === undefined) return;
    page.name = title;
    Object.assign(page.frontmatter, { group: "Project", description });
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, rankResults);
  app.renderer.hooks.on("content.end", neighbors);
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    if (page.contents === undefined) return;
    const base = "../".repeat(page.url.split("/").length - 1);
    page.contents = describe(accessible(page.contents), page.model);
    for (const link of Object.values(app.options.getValue("navigationLinks")))
      page.contents = page.contents.replaceAll(`<a href="${link}"`, `<a href="${base}${link}"`);
  });
}

/** Puts an export into its category. Members stay with their class or interface. */
function categorize(context: Context, reflection: DeclarationReflection): void {
  if (!isExport(reflection)) return;
  const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName;
  const path = file?.replace(ROOT, "") ?? "";
  const [, category] = CATEGORIES.find(([pattern]) => pattern.test(path)) ?? [];
  if (category === undefined) return;
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: category }]));
}

/** Gives a page its own description: that of a guide, or the first sentence of a declaration's documentation. */
function describe(html: string, model: unknown): string {
  const text = descriptionOf(model);
  if (text === "") return html;
  const escaped = text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return html.replace(
    /<meta name="description" content="[^"]*"/,
    () => `<meta name="description" content="${escaped}"`,
  );
}

function descriptionOf(model: unknown): string {
  if (!(model instanceof Reflection)) return "";
  if (model.isDocument()) return String(model.frontmatter.description ?? "");
  const signatures = model.isDeclaration() ? (model.signatures ?? []) : [];
  const summary = [model, ...signatures].flatMap(({ comment }) => comment?.summary ?? []);
  const text = summary
    .map((part) => part.text)
    .join("")
    .replaceAll("`", "")
    .replaceAll(/\s+/g, " ");
  const [sentence = ""] = /^.+?[.:](?= |$)/.exec(text) ?? [text];
  return sentence === "" ? "" : `${model.name}: ${sentence.replace(/:$/, ".")}`;
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
