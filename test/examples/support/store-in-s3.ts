/** Stores a song in a bucket of S3, and writes its files to the standard output. Without a task, it stores a broken body. */

import { S3Client } from "@aws-sdk/client-s3";
import { AsyncMusic, isMusic } from "async-music";
import { s3Bucket } from "../../../examples/storage/s3.js";
import { storeSong } from "../../../examples/storage/store-song.js";
import { tryBrokenPut } from "./broken-put.js";

const { S3_ENDPOINT = "", TASK_ID = "" } = process.env;
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const s3 = new S3Client({ endpoint: S3_ENDPOINT, region: "us-east-1", forcePathStyle: true, credentials });
const bucket = s3Bucket(s3, "songs");
if (TASK_ID === "") process.stdout.write(JSON.stringify(await tryBrokenPut(bucket)));
else {
  const client = new AsyncMusic();
  const song = await client.tasks.wait(TASK_ID);
  if (!isMusic(song)) throw new Error("Invariant: the task is a song.");
  process.stdout.write(JSON.stringify(await storeSong(client, bucket, song)));
}
s3.destroy();
