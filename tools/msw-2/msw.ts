export * from "msw2";
