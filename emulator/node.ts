/**
 * Serves an emulator on a port.
 *
 * @module async-music/emulator/node
 */

export { type EmulatorServer, type ServeOptions, serve } from "./adapters/serve.js";
