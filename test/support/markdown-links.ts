import { readFileSync } from "node:fs";

export function linksOf(page: string): string[] {
  const text = withoutFences(readFileSync(page, "utf8")).replace(/`[^`\n]+`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link = "", attribute = ""]) => link + attribute)
    .filter((link) => !/^[a-z]+:/.test(link));
}

export function withoutFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, "");
}
