import { DESCRIBED_INPUTS, type DescribedInput, toolNames } from "../src/contract/input-texts.js";
import type { COMMAND_OPTIONS } from "./flags.js";
import { exampleFlags } from "./input-options.js";

/** What the help says after the list of the commands. */
export const programHelp = (command: string) => `
To try it without a charge:
  ${command} emulator
      runs the service on this machine; set the two
      variables that it prints in another shell, then
  ${command} run -d "rain in Lisbon"
      saves a song in this directory

Environment:
  ASYNC_MUSIC_API_KEY    your API key; not a flag, because
                         other users can read flags
  ASYNC_MUSIC_BASE_URL   the service address, without /api/v1
  NO_COLOR, FORCE_COLOR  never use color, always use color

Results are written to stdout, everything else to stderr.
Each kind of error has its own exit status.`;

/** What the help says about a command: before its options, and after them. */
export const COMMAND_HELP: Readonly<
  Record<keyof typeof COMMAND_OPTIONS, { description: string; after?: (command: string) => string }>
> = {
  run: {
    description: "Create a song, lyrics or a clip, and save it. Costs credits.",
    after: (command) => `
Examples, with the price in credits of 0.01 USD:
${DESCRIBED_INPUTS.map(exampleLines).join("\n")}

The paths of the files are written to stdout, one per line.

The request is sent once. Ctrl-C stops waiting; the task
continues, and the command prints how to wait for it again.
With --journal and --key you can repeat the same command at
any time. It continues with its task and is charged once. If
it saved its result to --out FILE, add --force:

  ${command} run -d "rain" \\
    --journal songs.journal --key rain`,
  },
  wait: {
    description: "Wait for an existing task, and save its result. Costs nothing.",
    after: () => "\nThe task may have ended. Its audio is available for 7 days.",
  },
  batch: {
    description: "Create the songs and lyrics of a file, and save them. Costs credits.",
    after: (command) => `
FILE is JSON Lines: on each line a request as JSON, with the
field id beside model. If its name ends in .csv, it is CSV
with a header: a column for each field of the request and of
its input.

  {"id":"rain","model":"provider_a","task_type":"music",
   "input":{"gpt_description_prompt":"rain in Lisbon"}}

(on one line). The field id names the files: rain.wav,
rain-2.wav. All lines are checked before anything is sent.
Then the price is shown, and you confirm it before anything
is ordered.

After Ctrl-C, a crash or a power cut, run the same command
again: it continues, and pays for nothing twice.

DIR/results.jsonl has the result of each line, and
DIR/failed.jsonl the lines without one, as a file for another
batch.

Exit status:
   0  every line has its files
  17  some lines have no result

  ${command} batch songs.jsonl --out songs \\
    --journal songs.journal --max-credits 100`,
  },
  orders: {
    description:
      "List the open keys of a journal: tasks that have not ended, and requests with an unknown outcome.",
  },
  settle: {
    description: "Record the outcome of a request whose response was lost.",
    after: (command) => `
Before you use --not-created, make sure that no run with the
key is still sending: the next run is charged. A request that
is less than 2 minutes old needs --force. Settle again to
correct a mistake. An ID that the service returned for the
key is never replaced.

  ${command} settle rain --journal j --not-created`,
  },
  relay: {
    description: "Post the end of each order of a journal to a webhook.",
    after: (command) => `
Set ASYNC_MUSIC_WEBHOOK_SECRET to the secret with which your
server checks the signatures of Standard Webhooks: whsec_ and
then Base64. While you replace a secret, set both, with a
space between them.

A status of 2xx acknowledges an end. Otherwise it is posted
again after 5 s, 15 s, 45 s and so on, 15 times within three
days. Several relays of one journal share its orders. Ctrl-C
ends the relay; nothing is lost.

  ${command} relay --journal songs.journal \\
    --webhook https://shop.example/songs`,
  },
  balance: { description: "Show the credits of the account. Frozen ones are held for unfinished tasks." },
  usage: { description: "Show the tasks and credits that the account has used." },
  drift: {
    description: "Compare the service with the emulator. Costs credits.",
    after: (command) => `
It usually takes 6 to 33 minutes. A task that does not end
is read for 65 minutes. Use an account that no other program
uses meanwhile. A request is only sent if its price fits
into --max-credits. The check stops when more is gone from
the balance, so a service that charges more than its prices
can take too much with one request. A POST is never repeated
after its outcome became unknown.

Exit status:
  0  no drift; also if tests were skipped because their
     price did not fit. The first line names their number
  1  drift, whatever else happened
  2  no drift was found, but the check could not be run, a
     test has no result, or the account changed meanwhile
After Ctrl-C it is 130, and the report shows what is known.

  ${command} drift --report drift.md`,
  },
  certify: {
    description: "Test whether a client of the service, in any language, keeps its rules.",
    after: (command) => `
COMMAND makes one song when it is started, in any language.
It reads these variables:

  ASYNC_MUSIC_BASE_URL  the address of the service
  ASYNC_MUSIC_API_KEY   the API key
  ASYNC_MUSIC_OUT_DIR   where it can save its files; or it
                        writes their paths to stdout, each
                        on a line of its own

It runs once for each scenario, against an emulator of its
own. Nothing is charged.

Exit status:
  0  all required scenarios passed
  1  a required scenario failed
  2  the command could not be run

  ${command} certify -- python3 song.py`,
  },
  mcp: {
    description: "Serve tools for agents, with the Model Context Protocol on stdio.",
    after: (command) => `
These tools create tasks, which are charged:

${[...toolNames(), "make_batch"].map((name) => `  ${name}`).join("\n")}

The other tools are check_order, download_audio and balance.
MCP clients start the command with stdin and stdout connected
to them:

  ${command} mcp --max-credits 50 --journal orders`,
  },
  emulator: {
    description: "Run the service on this machine. Nothing is charged.",
    after: (command) => `
A command after -- runs against a new emulator, with
ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY set. The
emulator ends with it and returns its exit status:

  ${command} emulator -- npm test`,
  },
};

function exampleLines(input: DescribedInput): string {
  const { model, task_type: type, credits, texts } = input;
  const flags = exampleFlags(input);
  const words = [
    type === "music" ? [] : type,
    model === "provider_a" ? [] : `--model ${model}`,
    flags,
  ].flat();
  return `${String(credits).padStart(4)}  run ${words.join(" ")}\n      ${texts.result}`;
}
