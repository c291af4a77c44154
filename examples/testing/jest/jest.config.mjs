// The package is ES modules: run it with `NODE_OPTIONS=--experimental-vm-modules npx jest`.

export default { testMatch: ["**/*.test.mjs"], transform: {} };
