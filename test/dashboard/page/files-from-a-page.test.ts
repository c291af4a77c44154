import { expect, test } from "vitest";
import { listen } from "../../support/loopback.js";
import { openBlankPage, openDashboard, SONG } from "./support/dashboard.js";

test("a page of another origin can read audio and cover art, and cannot call the API", async () => {
  const { server, submit, api, emulator } = await openDashboard();
  emulator.providers.provider_a.next({ polls: 1 });
  const id = await submit(SONG);
  const { data } = await (await api("GET", `/task/${id}`)).json();
  const [{ audio_url: audioUrl, image_url: imageUrl }] = data.output.result;

  const site = await listen((response) => response.end("<!doctype html><title>An application</title>"));
  const page = await openBlankPage();
  await page.goto(site.url.replace("127.0.0.1", "localhost"));

  const seen = await page.evaluate(
    async ({ audioUrl, imageUrl, api, apiKey }) => {
      const whole = await fetch(audioUrl);
      const etag = whole.headers.get("ETag") ?? "";
      const size = (await whole.arrayBuffer()).byteLength;
      const part = await fetch(audioUrl, { headers: { Range: "bytes=10-19", "If-Range": etag } });
      const art = await fetch(imageUrl);
      const missing = await fetch(`${audioUrl}x`);
      const refused = await fetch(api, { headers: { "x-api-key": apiKey } }).catch((error) => error.name);
      return {
        size,
        stated: Number(whole.headers.get("Content-Length")),
        type: whole.headers.get("Content-Type"),
        ranges: whole.headers.get("Accept-Ranges"),
        part: [part.status, part.headers.get("Content-Range"), (await part.arrayBuffer()).byteLength],
        art: [art.status, art.headers.get("Content-Type")],
        missing: missing.status,
        refused,
      };
    },
    { audioUrl, imageUrl, api: `${server.url}/api/v1/account/balance`, apiKey: emulator.apiKey },
  );
  expect(seen).toEqual({
    size: expect.any(Number),
    stated: seen.size,
    type: "audio/wav",
    ranges: "bytes",
    part: [206, `bytes 10-19/${seen.size}`, 10],
    art: [200, "image/svg+xml"],
    missing: 404,
    refused: "TypeError",
  });
  expect(seen.size).toBeGreaterThan(1_000);
});
