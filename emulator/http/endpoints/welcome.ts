import { textAnswer } from "../answers.js";
import type { Answer } from "../exchange.js";
import type { Visit } from "../visit.js";

/** What somebody sees who opens the service's address. */
export function welcome({ exchange }: Visit): Answer {
  return textAnswer(
    "text/plain; charset=utf-8",
    `This is the async-music emulator: a music service that makes everything up, and bills nobody.\n\nSet ASYNC_MUSIC_BASE_URL=${exchange.origins.service} and use any client of the service.\n`,
  );
}
