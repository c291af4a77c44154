export { default } from "@vitest/coverage-v8";
