import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createChangedTerminal, createTerminal, useTerminal } from "../cli/support/terminal.js";

/** Writes the clipboard (OSC 52), moves the cursor (8-bit CSI), reverses text, hides text, and ends the line. */
const EVIL =
  "\u001B]52;c;ZXZpbA==\u0007\u009B2J\u202E\u2066\u200B\u00AD\u{E0041}\u007F\nasync-music: Done.\u2028";
const VISIBLE = "]52;c;ZXZpbA==2J async-music: Done.";
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;

const its = useTerminal({ clips: 1 });

type Data = Record<string, unknown>;

function hostile(change: (data: Data, method: string) => void, options = {}) {
  const changed = async (response: Response, { url, method }: Request) => {
    if (!url.includes("/api/v1/task") || !response.ok) return response;
    const { code, data } = await response.json();
    change(data, method);
    return Response.json({ code, data }, { status: response.status });
  };
  return createChangedTerminal(its.emulator, changed, options);
}

describe.each([true, false])("with a terminal: %s", (isTerminal) => {
  const options = { isTerminal, columns: 200, env: { NO_COLOR: "1" } };
  const expectSafe = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    expect(stdout).not.toMatch(UNSAFE);
    expect(stderr.replaceAll("\r\u001B[2K", "")).not.toMatch(UNSAFE);
    // No line of the service's text looks like one of the command.
    expect(stderr).not.toMatch(/^async-music: Done/m);
  };

  test("a status is shown without control characters", async () => {
    let reads = 0;
    const { lyrics } = hostile((data) => {
      if (data["status"] !== "success" || reads++ > 0) return;
      data["status"] = `run${EVIL}`;
      data["output"] = { progress: EVIL };
    }, options);
    const written = await lyrics("--no-download");
    expectSafe(written);
    expect(written.stderr).toContain(`run${VISIBLE}`);
  });

  test("a task ID is shown without control characters", async () => {
    const { song } = hostile((data, method) => {
      if (method === "POST") data["task_id"] = EVIL;
    }, options);
    for (const flag of ["--no-wait", "--json"]) {
      const written = await song(flag);
      expectSafe(written);
      expect(written.stderr).toContain(VISIBLE);
    }
  });

  /** Changes the lyrics, or each clip, of a task. */
  const hostileResult = (change: (result: Data) => void) =>
    hostile((data) => {
      const { result } = Object(data["output"]);
      if (result) for (const each of [result].flat()) change(each);
    }, options);

  test("a title is shown, and names its file, without control characters", async () => {
    const { song } = hostileResult((clip) => Object.assign(clip, { title: `Rain${EVIL}` }));
    const written = await song("--out", `${its.folder}/`);
    expectSafe(written);
    expect(written.stderr).toContain(`Rain${VISIBLE}`);
    for (const name of await readdir(its.folder)) expect(name).toMatch(/^rain-[\p{L}\d-]+\.wav$/u);
  });

  test("URLs and lyrics are written without control characters", async () => {
    const { song, lyrics } = hostileResult((result) => {
      const name = "text" in result ? "text" : "audio_url";
      result[name] += EVIL;
    });
    for (const run of [song, lyrics]) {
      const written = await run("--no-download");
      expect([written.status, written.stdout]).toEqual([0, expect.stringContaining("]52;c;ZXZpbA==2J")]);
      // Lyrics are several lines, on stdout.
      expectSafe({ ...written, stdout: written.stdout.replaceAll("\u2028", "") });
    }
  });

  test("the reason of a failure is shown without control characters, and --json escapes them", async () => {
    its.emulator.providers.provider_a.next({ outcome: "failure", error: `Refused${EVIL}` });
    const { song } = createTerminal(its.emulator, options);
    const written = await song("--json");
    expectSafe(written);
    // The error code follows the reason, before the full stop.
    expect(written.stderr).toContain(`Refused${VISIBLE.replace(/\.$/, " (upstream_provider_error)")}`);
    expect(JSON.parse(written.stdout).error.taskError).toBe(`Refused${EVIL}`);
  });

  test("an error message of the service is shown without control characters", async () => {
    const refused = () =>
      Response.json({ code: 400, error_code: `bad${EVIL}`, message: EVIL }, { status: 400 });
    const { run } = createChangedTerminal(its.emulator, refused, options);
    const written = await run("balance", "--json");
    expectSafe(written);
    expect(written.stderr).toContain("ZXZpbA==");
  });
});

test("--json escapes control characters", async () => {
  const { lyrics } = hostile((data) => {
    const { result } = Object(data["output"]);
    if (result) result.text = EVIL;
  });
  const { stdout } = await lyrics("--json", "--no-download");
  expect(stdout).not.toMatch(UNSAFE);
  expect(JSON.parse(stdout).task.output.result.text).toBe(EVIL);
});
