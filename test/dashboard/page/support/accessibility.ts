import { axe, type Page } from "../../../../tools/browser/browser.js";

interface Axe {
  axe: {
    run(
      options: object,
    ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
  };
}

/** What axe finds in the page as it is now, which includes controls that are too small to hit: by all rules, or by these. */
export async function problemsOf(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { rules: { "target-size": { enabled: true } }, ...(runOnly !== undefined && { runOnly }) };
  const { violations } = await page.evaluate(
    (chosen) => (globalThis as unknown as Axe).axe.run(chosen),
    options,
  );
  return violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
