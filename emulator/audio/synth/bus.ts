/** A stereo sound that is being mixed, unlimited in height. */
export type Bus = { readonly left: Float32Array; readonly right: Float32Array };

/** What is heard directly, and what is sent to the reverberation. */
export type Mix = { readonly dry: Bus; readonly send: Float32Array };

export function createBus(frames: number): Bus {
  return { left: new Float32Array(frames), right: new Float32Array(frames) };
}

export function clearBus(bus: Bus): void {
  bus.left.fill(0);
  bus.right.fill(0);
}

/** Where a sound stands in the room: how loud, how far to the right, and how much of it the room answers. */
export type Seat = { readonly gain: number; readonly pan: number; readonly send: number };

export function mixInto({ dry, send }: Mix, bus: Bus, seat: Seat): void {
  const gainLeft = seat.gain * (1 - seat.pan);
  const gainRight = seat.gain * (1 + seat.pan);
  for (let i = 0; i < send.length; i++) {
    const left = (bus.left[i] ?? 0) * gainLeft;
    const right = (bus.right[i] ?? 0) * gainRight;
    dry.left[i] = (dry.left[i] ?? 0) + left;
    dry.right[i] = (dry.right[i] ?? 0) + right;
    send[i] = (send[i] ?? 0) + (left + right) * seat.send;
  }
}
