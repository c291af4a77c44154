import { isEmulated, songClient } from "../songs.ts";
import { SongForm } from "./song-form.tsx";

// The settings are read when the page is requested, and not when it is built.
export const dynamic = "force-dynamic";

export default function Page() {
  const problem = configurationProblem();
  return (
    <main>
      <h1>Songs</h1>
      {problem === null ? <SongForm /> : <p role="alert">{problem}</p>}
      {isEmulated() && (
        <p>
          Songs are simulated and cost nothing. For real ones, set <code>ASYNC_MUSIC_API_KEY</code> and{" "}
          <code>ASYNC_MUSIC_BASE_URL</code>, for example in <code>.env.local</code>, and start again.
        </p>
      )}
    </main>
  );
}

/** Why there is no client, with the variable to set; `null` if there is one. */
function configurationProblem(): string | null {
  try {
    songClient();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
