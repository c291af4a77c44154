import { expect } from "vitest";

/** The server-sent events of a response, one after the other. */
export function eventsOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    async next() {
      for (;;) {
        text = text.replace(/^:[^\n]*\n\n/, "");
        if (text.includes("\n\n")) break;
        const { done, value } = await reader.read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
      }
      const end = text.indexOf("\n\n");
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      expect(event).toMatch(/^data: /);
      return JSON.parse(event.slice("data: ".length));
    },
    leave: () => reader.cancel(),
  };
}
