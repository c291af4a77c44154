export {
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
export { startFauxqs } from "fauxqs";
export { Miniflare } from "miniflare";
