import { Readable } from "node:stream";
import { type AsyncMusic, type AudioDownload, type Task, taskEvents } from "async-music";
import { test } from "vitest";
import { given } from "./support.js";

// The tests compile with the DOM library, whose `ReadableStream` differs from that of Node's types.
test("events and audio are streams of Node and of the web", async () => {
  const events = taskEvents(given<AsyncMusic>().tasks.watch("id"));
  const { body } = given<AudioDownload>();
  for (const stream of [events, body]) {
    const web: ReadableStream<Uint8Array<ArrayBuffer>> = stream;
    const [one, other] = stream.tee();
    void [Readable.fromWeb(stream), Readable.fromWeb(one), new Response(other), new Response(stream), web];
    void stream.pipeTo(new WritableStream<Uint8Array>());
    const text: ReadableStream<string> = stream.pipeThrough(new TextDecoderStream());
    for await (const bytes of stream) bytes.byteLength;
    const { value } = await stream.getReader().read();
    void [text, value?.byteLength];
  }
  taskEvents(given<AsyncIterable<Task>>());
});
