import { Readable } from "node:stream";
import { HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { Bucket } from "./store-song.ts";

/** A bucket of S3, or of another service with its interface. */
export function s3Bucket(s3: S3Client, name: string): Bucket {
  return {
    async has(key) {
      try {
        await s3.send(new HeadObjectCommand({ Bucket: name, Key: key }));
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },
    async put(key, body, { size, contentType }) {
      const failure = new AbortController();
      // An error of a stream would end the process: it aborts the request instead.
      async function* chunks() {
        try {
          yield* body;
        } catch (error) {
          failure.abort(error);
        }
      }
      // On Node, the AWS SDK accepts only streams of Node.
      const stream = Readable.from(chunks(), { objectMode: false });
      const object = { Bucket: name, Key: key, ContentLength: size, ContentType: contentType };
      const command = new PutObjectCommand({ ...object, Body: stream });
      try {
        await s3.send(command, { abortSignal: failure.signal });
      } catch (error) {
        failure.signal.throwIfAborted();
        throw error;
      } finally {
        // After an error of S3, this ends the download.
        stream.destroy();
      }
    },
  };
}
