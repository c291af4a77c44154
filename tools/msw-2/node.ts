export { setupServer } from "msw2/node";
