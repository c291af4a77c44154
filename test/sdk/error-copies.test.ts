import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as ours from "async-music";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { folderOfFile } from "../support/folder.js";

// `instanceof` holds across two copies of the package, one of them bundled and minified.

type Copy = typeof ours;
const folder = folderOfFile();
let bundled: Copy;

beforeAll(async () => {
  const file = join(folder, "copy.mjs");
  const entryPoints = ["src/index.ts"];
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  writeFileSync(file, outputFiles[0]?.text ?? "");
  bundled = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Copy;
});

const names = Object.entries(ours)
  .filter(([, value]) => typeof value === "function" && value.prototype instanceof Error)
  .map(([name]) => name as "ApiError");

test("every error of the package is covered", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
  expect(bundled.ApiError).not.toBe(ours.ApiError);
});

describe.each(names)("%s", (name) => {
  test("of one copy is an instance of the classes of the other that it extends, and of no other", () => {
    for (const [from, to] of [
      [ours, bundled],
      [bundled, ours],
    ] as const) {
      const error = Object.create(from[name].prototype);
      for (const other of names) {
        const isExpected = from[name] === from[other] || from[name].prototype instanceof from[other];
        expect([other, error instanceof to[other]]).toEqual([other, isExpected]);
      }
    }
  });
});

test("a subclass of an application is that class, and what it extends in every copy", () => {
  class OwnError extends ours.AuthenticationError {}
  class OtherError extends bundled.AuthenticationError {}
  const own = Object.create(OwnError.prototype);
  expect(own).toBeInstanceOf(OwnError);
  expect(own).toBeInstanceOf(bundled.ApiError);
  expect(own).not.toBeInstanceOf(OtherError);
  expect(Object.create(ours.AuthenticationError.prototype)).not.toBeInstanceOf(OwnError);
});

test.each([null, undefined, 1, "ApiError", {}, new Error("no"), Object.create(null), { name: "ApiError" }])(
  "%s is no error of the package",
  (value) => {
    for (const name of names) expect(value instanceof bundled[name]).toBe(false);
  },
);
