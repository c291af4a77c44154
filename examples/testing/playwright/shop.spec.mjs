import { expect, test } from "./fixtures.mjs";

test("a song is ordered", async ({ page, emulator }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Order a song" }).click();
  await expect(page.getByRole("link", { name: "Your song" })).toHaveAttribute("href", /^https:/);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a failed song is refunded", async ({ page, emulator }) => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  await page.goto("/");
  await page.getByRole("button", { name: "Order a song" }).click();
  await expect(page.getByRole("alert")).toHaveText("TaskFailedError");
  expect(emulator.state().accounts[0].balance).toMatchObject({ available: 100, frozen: 0 });
});
