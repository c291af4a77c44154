import { axe, type Page } from "../../../../tools/browser/browser.js";

interface Axe {
  axe: {
    run(
      options: object,
    ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
  };
}

/** What axe finds in the page as it is now, which includes controls that are too small to hit. */
export async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as Axe).axe.run({ rules: { "target-size": { enabled: true } } }),
  );
  return violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
