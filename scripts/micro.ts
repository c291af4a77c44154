import { createEmulator } from "../emulator/index.js";
import { mountedOf } from "../emulator/mounts/mounted-world.js";
import { SONG } from "./bench/songs.ts";
const body = new TextEncoder().encode(JSON.stringify(SONG));
const rounds = 7, n = 60000; const times: number[] = [];
for (let r = 0; r < rounds; r++) {
  await using emulator = createEmulator({ credits: 1e9, apiKey: "emu_bench", limits: { requests: 1e9 }, clock: "real" } as never);
  const { carryOut } = mountedOf(emulator);
  const h: Record<string, string> = { "x-api-key": "emu_bench", "content-type": "application/json" };
  const c0 = process.cpuUsage(); const t0 = performance.now();
  for (let i = 0; i < n; i++) {
    const d = await carryOut({ method: "POST", site: "service", path: "/api/v1/task", headers: { get: (x: string) => h[x.toLowerCase()] ?? null }, body: body.slice(), origins: {} as never, arrival: i, hasLeft: () => false });
    if (i === 0 && (d as any).answer.status !== 202) throw new Error(JSON.stringify(d));
  }
  times.push(((performance.now() - t0) * 1000) / n);
  void c0;
}
console.log(times.map((t) => t.toFixed(1)).join(" "));
