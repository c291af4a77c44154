// biome-ignore lint/style/noDefaultExport: what Vitest imports
export { default } from "@vitest/coverage-v8";
