import { checkCompliance } from "async-music/emulator";

/** What `checkCompliance` reports, or `null`. */
export function problemsOf(...args: Parameters<typeof checkCompliance>): string | null {
  try {
    checkCompliance(...args);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
