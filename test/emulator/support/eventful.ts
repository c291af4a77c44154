import { createControlled, VALID } from "./service.js";

/** An emulator in which a little of everything has happened. */
export async function createEventful() {
  const service = createControlled({ credits: 500, policy: { rate_limit_window: "sliding" } });
  const { emulator, create, read, post, get } = service;
  await read(await create(VALID.song, { polls: 1, alternate_urls: ["https://cdn.example.com/a.wav"] }));
  const lost = await create(VALID.custom, { outcome: "failure", error_code: "content_moderation", polls: 1 });
  await read(lost);
  await read(lost);
  await read(await create(VALID.lyrics, { polls: 1 }));
  const slow = await create(VALID.upload, { outcome: "hang" });
  await read(slow);
  await post(VALID.custom);
  await get("/nowhere");
  const { account_id } = emulator.accounts.create({ credits: 5 });
  emulator.changeLimits({ requests: 9 }, { accountId: account_id });
  emulator.changePolicy({ late_success: "success" }, { accountId: account_id });
  emulator.providers.provider_a.next({ account_id, polls: 9 });
  const { accountId } = emulator;
  emulator.accounts.topUp(accountId, { usd: 20, method: "card" });
  emulator.accounts.topUp(accountId, { usd: 5, method: "crypto", outcome: "pending" });
  const bounds = { enabled: true, threshold_credits: 5_000, recharge_usd: 10, monthly_cap_usd: 20 };
  emulator.accounts.setAutoTopUp(accountId, { ...bounds, ...emulator.accounts.authorize(accountId) });
  emulator.accounts.authorize(accountId);
  emulator.accounts.setBilling(accountId, { name: "A", address_line_1: "B", city: "C", country: "D" });
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "disconnect", when: "after" } });
  emulator.providers.provider_a.next({ outcome: "failure" });
  emulator.providers.provider_b.always({ process_seconds: 3 });
  await emulator.clock.advance(3_600_001);
  await service.balance();
  await create(VALID.providerB).catch(() => {});
  emulator.accounts.topUp(accountId, { usd: 5, method: "card", outcome: "refused" });
  return service;
}
