import { type Page, violationsOf } from "../../../../tools/browser/browser.js";

/** What axe finds in the page as it is now, which includes controls that are too small to hit: by all rules, or by these. */
export async function problemsOf(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  const options = {
    rules: { "target-size": { enabled: true } },
    ...(runOnly !== undefined && { runOnly: [...runOnly] }),
  };
  return (await violationsOf(page, options))
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
