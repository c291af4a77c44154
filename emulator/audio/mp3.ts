import { at, powerOfTwo, sine } from "./numbers.js";
import { type AudioBytes, type Pause, SAMPLE_RATE } from "./synth.js";

/*
 * An encoder for MPEG-2 Layer III (ISO/IEC 13818-3), as far as one channel at one rate needs it: a constant bit rate, long
 * blocks, no bit reservoir, no psychoacoustics, and one Huffman table.
 */

const BITS_PER_SECOND = 48_000;
const BANDS = 32;
const LINES = 18;
const FRAME_SAMPLES = BANDS * LINES;
const FRAME_BYTES = (FRAME_SAMPLES * BITS_PER_SECOND) / SAMPLE_RATE / 8;
/** MPEG-2, Layer III, no checksum; 48 kbit/s, 16 kHz; one channel, an original. */
const HEADER = [0xff, 0xf3, 0x68, 0xc4];
const SIDE_INFO_BYTES = 9;
/** The delay of encoder and decoder together. */
const DELAY_SAMPLES = 1105;
const FRAMES_PER_TURN = 10;

/** Huffman table 16, in the order of its codes: a pair of values in hexadecimal, and the length of their code in base 36. */
const CODES =
  "efbfebdfbfdbcfbfcbbfbfbbafafab9fbf9bf8b8fa7faf7a6faf6aff85faf5a4f9f49f39f093facegechddhdefe9feagd9geee" +
  "edfebfbeecdedcfdbfaeecceadfdaf7efacfcaec9f7df5eebddf282f90f91f8f189edbcecbe8eee8e9dee7ebbe8ded8e6eee6d" +
  "9cdabebaee5ed7e4ede4e8cec8d3ed6ddd6e9beb9eaaee1dd4db8ea9e7bdb7ed0ee3c0ede0d5ddd5d7cdc7d4dd8bd9ad6cdc6d" +
  "3dd5cdc5d0dc8ada8d99d4cdb6d7ad3cc5bd89d1ccc0c98d79de2b2ec1ecd3c2dcd2cd1c3bc97d88d1dbc4c6bcc3ca7c2cbc2c" +
  "b5cc1c0cc4bcb4c6aca6cb3b5aca5c2bbb2b1bbb1b0bcb0c69c96c4aca4c78c87ca3b3ac59c2ab95c68ca1b86c77c94b49c57c" +
  "67ba2a1aa0aba0b39b93b58b85b29a92a76b09b19a91a90b48b84b75b38b83b66b28b82a47b74b18a81a80a08b56b37a73a65b" +
  "46b27a72a64b55b07a17971970a36a63a45a54a26a62916961906a60a53935a44a259529518159059349439509249429339148" +
  "418049409238328137317038308227126216026206114014103001";
/** With table 20, which has the same codes, a value of 15 is followed by six bits that are added to it. */
const TABLE = 20;
const EXTRA_BITS = 6;
const LARGEST_VALUE = 15 + 2 ** EXTRA_BITS - 1;

export async function encodeMp3(samples: Int16Array, pause: Pause): Promise<AudioBytes> {
  const count = Math.ceil((samples.length + DELAY_SAMPLES) / FRAME_SAMPLES);
  const file = new Uint8Array(count * FRAME_BYTES);
  const analyze = createFilterBank();
  const writer = new FrameWriter();
  for (let index = 0; index < count; index++) {
    const spectrum = analyze(samples.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES));
    writer.write(file.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES), spectrum);
    if (index % FRAMES_PER_TURN === 0) await pause();
  }
  return file;
}

/** Turns one frame of samples after another into 576 spectral lines: 32 bands of 18 lines. */
function createFilterBank(): (samples: Int16Array) => Float64Array {
  // The standard's window is a sum of eight cosines; these weights give it to the precision in which it is printed.
  const weights = [0.125, 0.25, 0.249061, 0.234832, 0.176782, 0.085736, 0.021643, 0.001933];
  const window = new Float64Array(512).map((_, i) => {
    const height = weights.reduce((sum, weight, k) => sum + weight * cosine((k * (i - 256)) / 512), 0);
    return (i & 64 ? -height : height) / 32 / 32_768;
  });
  const toBands = matrix(BANDS, BANDS, (band, i) => cosine(((2 * band + 1) * i) / 128));
  const lineAt = (line: number, i: number) => cosine(((2 * i + 1 + LINES) * (2 * line + 1)) / 144);
  const toLines = matrix(LINES, 2 * LINES, (line, i) => (sine((i + 0.5) / 72) * lineAt(line, i)) / 9);
  const butterflies = [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037].map((c) => {
    const kept = 1 / Math.sqrt(1 + c * c);
    return [kept, c * kept] as const;
  });

  const history = new Float64Array(512);
  const sums = new Float64Array(64);
  const folded = new Float64Array(BANDS);
  // For each band, the samples of the frame before and of this one.
  const bands = new Float64Array(BANDS * 2 * LINES);
  const spectrum = new Float64Array(FRAME_SAMPLES);
  return (samples) => {
    for (let time = 0; time < LINES; time++) {
      history.copyWithin(BANDS, 0);
      for (let i = 0; i < BANDS; i++) history[BANDS - 1 - i] = samples[time * BANDS + i] ?? 0;
      for (let i = 0; i < 64; i++) {
        let sum = 0;
        for (let j = i; j < 512; j += 64) sum += (window[j] ?? 0) * (history[j] ?? 0);
        sums[i] = sum;
      }
      // The cosines of 16 - i and 16 + i are the same, and those of 48 - i and 48 + i have opposite signs.
      folded[0] = sums[16] ?? 0;
      for (let i = 1; i <= 16; i++) folded[i] = (sums[16 + i] ?? 0) + (sums[16 - i] ?? 0);
      for (let i = 17; i < BANDS; i++) folded[i] = (sums[16 + i] ?? 0) - (sums[80 - i] ?? 0);
      for (let band = 0; band < BANDS; band++) {
        const sample = product(toBands, band, folded, 0, BANDS);
        // The filter reverses the frequencies within every other band.
        bands[(2 * band + 1) * LINES + time] = band & time & 1 ? -sample : sample;
      }
    }
    for (let band = 0; band < BANDS; band++) {
      const first = band * LINES;
      for (let line = 0; line < LINES; line++) {
        spectrum[first + line] = product(toLines, line, bands, 2 * first, 2 * LINES);
      }
      bands.copyWithin(2 * first, 2 * first + LINES, 2 * first + 2 * LINES);
      // Neighboring bands overlap; this takes out of each what belongs to the other.
      for (let i = 0; band > 0 && i < 8; i++) {
        const [below, above] = [spectrum[first - 1 - i] ?? 0, spectrum[first + i] ?? 0];
        const [kept, taken] = butterflies[i] ?? [1, 0];
        spectrum[first - 1 - i] = below * kept + above * taken;
        spectrum[first + i] = above * kept - below * taken;
      }
    }
    return spectrum;
  };
}

const SPACE_BITS = (FRAME_BYTES - HEADER.length - SIDE_INFO_BYTES) * 8;

/** Writes the spectrum of one frame after another, in steps as fine as there is space for. */
class FrameWriter {
  readonly #codes = readCodes();
  /** A value of v stands for v ** (4 / 3) steps of 2 ** ((gain - 210) / 4). */
  readonly #factors = new Float64Array(256).map((_, gain) => powerOfTwo((-3 * (gain - 210)) / 16));
  readonly #rooted = new Float64Array(FRAME_SAMPLES);
  readonly #values = new Int32Array(FRAME_SAMPLES);
  #gain = 0;
  #pairs = 0;

  write(frame: Uint8Array, spectrum: Float64Array): void {
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      const size = Math.abs(spectrum[i] ?? 0);
      this.#rooted[i] = Math.sqrt(size * Math.sqrt(size));
    }
    // Loudness changes slowly: the steps of the frame before are a good start.
    this.#gain = Math.max(0, this.#gain - 4);
    let bits = this.#quantize();
    for (; bits > SPACE_BITS; bits = this.#quantize()) this.#gain++;
    this.#encode(frame, spectrum, bits);
  }

  /** Rounds the spectrum to values, and returns how many bits they take. */
  #quantize(): number {
    const [rooted, values, codes] = [this.#rooted, this.#values, this.#codes];
    const factor = this.#factors[this.#gain] ?? 0;
    let bits = 0;
    let bitsSoFar = 0;
    let pairs = 0;
    for (let i = 0; i < FRAME_SAMPLES; i += 2) {
      const x = Math.floor((rooted[i] ?? 0) * factor + 0.4054);
      const y = Math.floor((rooted[i + 1] ?? 0) * factor + 0.4054);
      if (x > LARGEST_VALUE || y > LARGEST_VALUE) return Number.POSITIVE_INFINITY;
      values[i] = x;
      values[i + 1] = y;
      bitsSoFar += codes[symbolOf(x, y)]?.cost ?? 0;
      if (x === 0 && y === 0) continue;
      // The zeros at the end are left out.
      bits = bitsSoFar;
      pairs = i / 2 + 1;
    }
    this.#pairs = pairs;
    return bits;
  }

  #encode(frame: Uint8Array, spectrum: Float64Array, bits: number): void {
    const [values, pairs] = [this.#values, this.#pairs];
    const put = bitWriter(frame, HEADER.length);
    frame.set(HEADER);
    // The side information: nothing from earlier frames, no scale factors, and the same table for all three regions.
    put(bits, 21);
    put((pairs << 8) | this.#gain, 17);
    put((TABLE << 10) | (TABLE << 5) | TABLE, 25);
    put(0, 9);
    for (let i = 0; i < 2 * pairs; i += 2) {
      const { code, length } = at(this.#codes, symbolOf(values[i] ?? 0, values[i + 1] ?? 0));
      put(code, length);
      for (const line of [i, i + 1]) {
        const value = values[line] ?? 0;
        if (value >= 15) put(value - 15, EXTRA_BITS);
        if (value > 0) put((spectrum[line] ?? 0) < 0 ? 1 : 0, 1);
      }
    }
    put(0, 7);
  }
}

/** Writes numbers of some bits each, from a byte on. */
function bitWriter(bytes: Uint8Array, start: number): (value: number, width: number) => void {
  let position = start;
  let pending = 0;
  let pendingBits = 0;
  return (value, width) => {
    pending = (pending << width) | value;
    for (pendingBits += width; pendingBits >= 8; pendingBits -= 8) {
      bytes[position++] = pending >> (pendingBits - 8);
    }
  };
}

function symbolOf(x: number, y: number): number {
  return Math.min(x, 15) * 16 + Math.min(y, 15);
}

/** The code of each pair of values, and how many bits the pair takes with extra bits and signs. */
function readCodes() {
  const codes: { code: number; length: number; cost: number }[] = [];
  let next = 0;
  for (const [, x = "", y = "", digit = ""] of CODES.matchAll(/(.)(.)(.)/g)) {
    const length = Number.parseInt(digit, 36);
    const extra = [x, y].map((value) => (value === "f" ? 1 + EXTRA_BITS : value === "0" ? 0 : 1));
    const cost = extra.reduce((sum, bits) => sum + bits, length);
    codes[Number.parseInt(x + y, 16)] = { code: next >>> (32 - length), length, cost };
    next += 2 ** (32 - length);
  }
  return codes;
}

function matrix(rows: number, columns: number, entry: (row: number, column: number) => number): Float64Array {
  return new Float64Array(rows * columns).map((_, i) => entry(Math.floor(i / columns), i % columns));
}

/** A row of a matrix, multiplied with the values from `offset` on. */
function product(factors: Float64Array, row: number, values: Float64Array, offset: number, length: number) {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (factors[row * length + i] ?? 0) * (values[offset + i] ?? 0);
  return sum;
}

function cosine(turns: number): number {
  return sine(turns + 0.25);
}
