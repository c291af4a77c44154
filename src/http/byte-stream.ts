type StreamedBytes = Uint8Array<ArrayBuffer>;

/** A stream from which nothing is read ahead. */
export function byteStream(source: UnderlyingDefaultSource<StreamedBytes>): ByteStream {
  // A stream of each platform has the methods of its own types.
  return new ReadableStream(source, { highWaterMark: 0 }) as ByteStream;
}

/**
 * A stream of bytes: a `ReadableStream` of the platform. Where TypeScript's DOM library and Node's types differ, it has the
 * methods of both, so that `Readable.fromWeb(stream)` of `node:stream` compiles with the DOM library too, in TypeScript 5.9 or later.
 */
export type ByteStream = ByteStreamMethods & ReadableStream<Uint8Array<ArrayBuffer>>;

/** The methods of a stream of bytes as Node's types have them. */
export interface ByteStreamMethods {
  [Symbol.asyncIterator](): AsyncIteratorObject<Uint8Array<ArrayBuffer>, undefined>;
  values(options?: { preventCancel?: boolean }): AsyncIteratorObject<Uint8Array<ArrayBuffer>, undefined>;
  getReader(options: { mode: "byob" }): ByobReader;
  pipeThrough<Output>(
    transform: { readable: Output; writable: WritableStream<Uint8Array<ArrayBuffer>> },
    options?: {
      preventAbort?: boolean;
      preventCancel?: boolean;
      preventClose?: boolean;
      signal?: AbortSignal;
    },
  ): Output;
  tee(): [ByteStream, ByteStream];
}

/** A reader that fills the caller's own buffers. */
export interface ByobReader {
  readonly closed: Promise<undefined>;
  read<View extends ArrayBufferView>(
    view: View,
    options?: { min?: number },
  ): Promise<{ done: false; value: View } | { done: true; value: View | undefined }>;
  releaseLock(): void;
  cancel(reason?: unknown): Promise<void>;
}
