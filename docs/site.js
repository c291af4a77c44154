// The guides stand open in the sidebar until a reader closes them.
try {
  for (const group of ["Using the service", "Testing with the emulator"]) {
    const key = `tsd-accordion-${group}`;
    localStorage.setItem(key, localStorage.getItem(key) ?? "true");
  }
} catch {
  // A browser that stores nothing shows them closed.
}
