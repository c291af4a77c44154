import { withoutCredentials } from "../contract/text.js";
import type { RequestOptions } from "../http/call.js";
import { checkOptionNames } from "../http/option-names.js";
import { checkRequestOptions, REQUEST_OPTIONS } from "../http/request-options.js";
import type { Transport } from "../http/transport.js";
import { concatBytes } from "../shared/data.js";
import { Aborter } from "../time/abort.js";
import type { Deadline } from "../time/deadline.js";
import { type AudioDownload, createAudioDownload } from "./audio-download.js";
import { extensionOfBytes, extensionOfType, isGenericType, SIGNATURE_LENGTH } from "./audio-format.js";
import { createResume } from "./resume.js";
import { type Download, tryFor } from "./tries.js";
import { lengthOf } from "./version.js";
import { type Bytes, piecesOf, readWhole, startingWith, streamOf } from "./whole-body.js";

/** Downloads audio: the head with the retries of a read, the body as a stream that is whole or an error. */
export async function downloadAudio(
  transport: Transport,
  url: string,
  given: RequestOptions,
): Promise<AudioDownload> {
  const shownUrl = withoutCredentials(transport.redactor.text(url));
  const options = checkOptionNames(given, REQUEST_OPTIONS, transport.redactor);
  const { maxRetries = transport.maxRetries } = checkRequestOptions(options);
  const leaving = new Aborter();
  const download = { transport, url, shownUrl, options, maxRetries, leaving };
  return leaving.during(options.signal, () =>
    tryFor(download, {}, async (response, deadline) => ({
      result: await open(download, response, deadline),
    })),
  );
}

async function open(download: Download, response: Response, deadline: Deadline): Promise<AudioDownload> {
  const size = lengthOf(response.headers);
  const statedType = response.headers.get("Content-Type");
  const contentType = statedType ?? "application/octet-stream";

  const isTold = !isGenericType(statedType);
  const resume = createResume(download, response, isTold ? 0 : SIGNATURE_LENGTH);
  const pieces = readWhole({ pieces: piecesOf(response, deadline), size }, resume);
  if (isTold) {
    deadline.pause();
    const extension = extensionOfType(statedType);
    return createAudioDownload(
      { contentType, extension, size },
      streamOf(pieces, download),
      download.shownUrl,
    );
  }
  // What breaks off before the format is told is begun anew, as long as tries are left.
  const start = await readStart(pieces);
  const head = { contentType, extension: extensionOfBytes(start), size };
  return createAudioDownload(head, streamOf(startingWith(start, pieces), download), download.shownUrl);
}

/** As many first bytes as tell the format, or all there are. */
async function readStart(pieces: AsyncGenerator<Bytes>): Promise<Bytes> {
  let start: Bytes = new Uint8Array(0);
  while (start.byteLength < SIGNATURE_LENGTH) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = concatBytes([start, value]);
  }
  return start;
}
