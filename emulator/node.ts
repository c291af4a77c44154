export { type EmulatorServer, type ServeOptions, serve } from "./node/serve.js";
