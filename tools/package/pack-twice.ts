import { execFileSync } from "node:child_process";

// Each pack builds again: a time, a random name or a path in the output would make the two differ.
const [one, other] = [pack(), pack()];
if (one !== other)
  throw new Error(
    `Failed to pack the same twice: ${one}, then ${other}. Something in dist/ depends on more than the sources.`,
  );
console.log(`Two packs are equal: ${one}`);

function pack(): string {
  const report = execFileSync("npm", ["pack", "--dry-run", "--json", "--silent"], { encoding: "utf8" });
  return JSON.parse(report)[0].integrity;
}
