/** Next.js calls this when the server starts: it continues the orders of earlier processes. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] === "nodejs") {
    const { followInBackground } = await import("./songs.ts");
    followInBackground();
  }
}
