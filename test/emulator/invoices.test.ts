import { beforeEach, expect, test } from "vitest";
import { printable } from "../../emulator/core/payments/invoice-pdf.js";
import { type ControlledService, createControlled } from "./support/service.js";

const BILLING = {
  name: "Chuva Discos Lda",
  address_line_1: "Rua da Bica 12",
  city: "Lisboa",
  country: "Portugal",
};
const NOTHING = { tax_id: null, address_line_2: null, postal_code: null };

let service: ControlledService;
let account: string;
beforeEach(() => {
  service = createControlled();
  account = `/accounts/${service.emulator.accountId}`;
});

const pay = (usd = 10): string => {
  const { emulator } = service;
  const { invoice_id: id } = emulator.accounts.topUp(emulator.accountId, { usd, method: "card" });
  if (id === null) throw new Error("Expected a completed payment to have an invoice");
  return id;
};

const bytesOf = async (path: string) => {
  const { emulator } = service;
  const response = await emulator.fetch(`${emulator.url}/_emulator${account}${path}`);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};

test("billing information is replaced as a whole, and optional fields can be left out", async () => {
  const { control } = service;
  expect((await control("GET", `${account}/billing`)).body).toMatchObject({ name: null, ...NOTHING });
  const saved = await control("PUT", `${account}/billing`, BILLING);
  expect([saved.status, saved.body]).toEqual([200, { ...BILLING, ...NOTHING }]);
  const optional = { tax_id: "PT 123", address_line_2: "2.º Esq.", postal_code: "1200-054" };
  await control("PUT", `${account}/billing`, { ...BILLING, ...optional });
  expect((await control("GET", `${account}/billing`)).body).toEqual({ ...BILLING, ...optional });
  await control("PUT", `${account}/billing`, { ...BILLING, tax_id: "  ", postal_code: null });
  expect((await control("GET", `${account}/billing`)).body).toEqual({ ...BILLING, ...NOTHING });
});

test.each(["name", "address_line_1", "city", "country"])(
  "a missing or blank %s is refused",
  async (field) => {
    const { control, frozenState } = service;
    const before = frozenState();
    for (const value of [undefined, "", " \t ", null, 5, "x".repeat(101)]) {
      const { status, body } = await control("PUT", `${account}/billing`, { ...BILLING, [field]: value });
      expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
      expect(body.message).toContain(field);
    }
    expect(frozenState()).toBe(before);
  },
);

test("every field of the billing information is trimmed", () => {
  const { emulator } = service;
  const fields = { ...BILLING, tax_id: "PT 123", address_line_2: "2.º Esq.", postal_code: "1200-054" };
  const padded = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, `  ${text} \n`]));
  emulator.accounts.setBilling(emulator.accountId, { ...fields, ...padded });
  expect(emulator.accounts.billing(emulator.accountId)).toEqual(fields);
});

test("without complete billing information, the list and every invoice are a 409", async () => {
  const { control, emulator } = service;
  const id = pay();
  for (const path of ["/invoices", `/invoices/${id}.pdf`, "/invoices/unknown.pdf"]) {
    const { status, body } = await control("GET", account + path);
    expect([status, body]).toEqual([
      409,
      { code: 409, error_code: "billing_incomplete", message: expect.stringContaining("address_line_1") },
    ]);
  }
  expect(() => emulator.accounts.invoices(emulator.accountId)).toThrow(/billing/);
  await expect(emulator.accounts.invoicePdf(emulator.accountId, id)).rejects.toThrow(/billing/);
});

test("every completed payment has one invoice, and nothing else has", async () => {
  const { control, emulator } = service;
  const { accountId: id } = emulator;
  await control("PUT", `${account}/billing`, BILLING);
  expect((await control("GET", `${account}/invoices`)).body).toEqual({ invoices: [] });
  const first = pay(10);
  const pending = emulator.accounts.topUp(id, { usd: 20, method: "crypto", outcome: "pending" });
  emulator.accounts.topUp(id, { usd: 30, method: "card", outcome: "refused" });
  const second = pay(40);
  await emulator.clock.advance(1000);
  const third = emulator.accounts.updateTopUp(id, pending.payment_id, { status: "completed" }).invoice_id;
  const { invoices } = (await control("GET", `${account}/invoices`)).body;
  expect(invoices).toEqual([
    expect.objectContaining({ invoice_id: first, usd: 10, credits: 1000, method: "card" }),
    expect.objectContaining({ invoice_id: second, usd: 40 }),
    {
      invoice_id: third,
      payment_id: pending.payment_id,
      at: "2026-01-01T00:00:01.000Z",
      usd: 20,
      credits: 2000,
      method: "crypto",
    },
  ]);
  expect(emulator.accounts.invoices(id)).toEqual(invoices);
});

test("an invoice is a PDF with the same bytes each time", async () => {
  const id = pay(25);
  await service.control("PUT", `${account}/billing`, BILLING);
  const { response, bytes } = await bytesOf(`/invoices/${id}.pdf`);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/pdf");
  expect(response.headers.get("Content-Length")).toBe(String(bytes.byteLength));
  const file = Buffer.from(bytes).toString("latin1");
  expect(file).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
  for (const text of [`Invoice ${id}`, "Chuva Discos Lda", "Lisboa", "USD 25.00"]) {
    expect(file).toContain(`<${Buffer.from(text).toString("hex")}>`);
  }
  const offsets = [...file.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
  for (const [index, offset] of offsets.entries()) {
    expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
  }
  expect(file.slice(Number(file.match(/startxref\n(\d+)/)?.[1]))).toMatch(/^xref\n0 8\n/);
  await service.emulator.clock.advance(1000);
  expect((await bytesOf(`/invoices/${id}.pdf`)).bytes).toEqual(bytes);
  const copy = service.emulator.fork();
  expect(await copy.accounts.invoicePdf(copy.accountId, id)).toEqual(bytes);
});

test("with complete billing information, an unknown and another account's invoice are a 404", async () => {
  const { control, emulator } = service;
  const id = pay();
  const other = emulator.accounts.create().account_id;
  emulator.accounts.setBilling(other, BILLING);
  emulator.accounts.setBilling(emulator.accountId, BILLING);
  expect((await control("GET", `/accounts/${other}/invoices/${id}.pdf`)).status).toBe(404);
  expect((await control("GET", `${account}/invoices/AM-999999.pdf`)).body.error_code).toBe("not_found");
  expect((await control("GET", `${account}/invoices/.pdf`)).status).toBe(404);
});

test("an invoice accepts names in every script", async () => {
  const id = pay();
  for (const name of [
    "Łódź Žluťoučký",
    "東京レコード",
    "🎵 music",
    "a\u0000b",
    "x".repeat(100),
    "e\u0301té",
  ]) {
    await service.control("PUT", `${account}/billing`, { ...BILLING, name });
    expect((await bytesOf(`/invoices/${id}.pdf`)).response.status).toBe(200);
  }
  expect(printable("Łódź Žluťoučký — “Été” 5 €")).toBe("Lódz Žlutoucký — “Été” 5 €");
  expect(printable("東京\tレコード\u0007")).toBe("?? ????");
});
