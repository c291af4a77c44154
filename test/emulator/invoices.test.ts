import { type BillingInformation, createEmulator } from "async-music/emulator";
import { create } from "fontkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Font } from "../../emulator/core/payments/font.js";
import { FONTS } from "../../emulator/core/payments/invoice-libraries.js";
import { InvoicePage } from "../../emulator/core/payments/invoice-page.js";
import { fontOf } from "../../emulator/core/payments/printable.js";
import { readPdf } from "./support/read-pdf.js";
import { type ControlledService, createControlled } from "./support/service.js";

const ADDRESS = { address_line_1: "Rua da Bica 12", city: "Lisboa", country: "Portugal" };
const BILLING = { name: "Chuva Discos Lda", ...ADDRESS };
const NOTHING = { tax_id: null, address_line_2: null, postal_code: null };

let service: ControlledService;
let account: string;
beforeEach(() => {
  service = createControlled();
  account = `/accounts/${service.emulator.accountId}`;
});

afterEach(() => {
  vi.restoreAllMocks();
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

test("billing information is trimmed and replaced as a whole, and optional fields can be left out", async () => {
  const { control } = service;
  expect((await control("GET", `${account}/billing`)).body).toMatchObject({ name: null, ...NOTHING });
  const saved = await control("PUT", `${account}/billing`, BILLING);
  expect([saved.status, saved.body]).toEqual([200, { ...BILLING, ...NOTHING }]);
  const all = { ...BILLING, tax_id: "PT 123", address_line_2: "2.º Esq.", postal_code: "1200-054" };
  const padded = Object.fromEntries(Object.entries(all).map(([name, text]) => [name, `  ${text} \n`]));
  await control("PUT", `${account}/billing`, padded);
  expect((await control("GET", `${account}/billing`)).body).toEqual(all);
  await control("PUT", `${account}/billing`, { ...BILLING, tax_id: "  ", postal_code: null });
  expect((await control("GET", `${account}/billing`)).body).toEqual({ ...BILLING, ...NOTHING });
});

test.each(Object.keys(BILLING))("a missing or blank %s is refused", async (field) => {
  const { control, frozenState } = service;
  const before = frozenState();
  for (const value of [undefined, "", " \t ", null, 5, "x".repeat(101)]) {
    const { status, body } = await control("PUT", `${account}/billing`, { ...BILLING, [field]: value });
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(body.message).toContain(field);
  }
  expect(frozenState()).toBe(before);
});

test("without complete billing information, the list and every invoice are a 409", async () => {
  const { control, emulator } = service;
  const id = pay();
  const message = expect.stringContaining("address_line_1");
  const refused = { status: 409, body: { code: 409, error_code: "billing_incomplete", message } };
  for (const path of ["/invoices", `/invoices/${id}.pdf`, "/invoices/unknown.pdf"])
    expect(await control("GET", account + path)).toMatchObject(refused);
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
  const { payment_id } = pending;
  const { invoice_id } = emulator.accounts.updateTopUp(id, payment_id, { status: "completed" });
  const last = { invoice_id, payment_id, at: "2026-01-01T00:00:01.000Z" };
  const { invoices } = (await control("GET", `${account}/invoices`)).body;
  expect(invoices).toMatchObject([
    { invoice_id: first, usd: 10, credits: 1000, method: "card" },
    { invoice_id: second, usd: 40 },
    { ...last, usd: 20, credits: 2000, method: "crypto" },
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
  expect(Buffer.from(bytes).toString("latin1")).toMatch(/^%PDF-1\.7[\s\S]*%%EOF\s*$/);
  const { lines } = readPdf(bytes);
  expect(lines).toEqual(expect.arrayContaining([id, "Chuva Discos Lda", "Lisboa", "USD 25.00"]));
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

const invoiceOf = async (billing: Partial<BillingInformation>) => {
  const copy = service.emulator.fork();
  copy.accounts.setBilling(copy.accountId, { ...BILLING, ...billing });
  const { invoice_id: id } = copy.accounts.topUp(copy.accountId, { usd: 10, method: "crypto" });
  return readPdf(await copy.accounts.invoicePdf(copy.accountId, String(id)));
};

test.each([
  ["Latin", "Łódź Žluťoučký İstanbul Nguyễn Văn Trỗi — “Été” 5 €"],
  ["ligatures", "Office of fiddle flutes"],
  ["decomposed Latin", "e\u0301te\u0301", "été"],
  ["Cyrillic", "ООО «Дождь» Київ Қазақстан"],
  ["Greek", "Μουσική Αθήνα"],
  ["Japanese", "東京レコード株式会社 〒150-0041"],
  ["simplified and traditional Chinese", "北京音乐有限公司 臺北音樂"],
  ["Korean", "한국 음악 주식회사"],
  ["Hebrew, from right to left", "תקליטי הגשם (2020) Ltd", "Ltd (2020) םשגה יטילקת"],
  ["Arabic, from right to left", "شركة دبي 12، طابق ٢٥", "٢٥ قباط ،12 يبد ةكرش"],
  ["Persian with a non-joiner", "می\u200cخواهم ۱۲", "۱۲ مهاوخیم"],
  ["Hebrew within Latin", "Studio (גשם) Ltd", "Studio (םשג) Ltd"],
])("an invoice shows %s", async (_, name, shown = name) => {
  const { lines, actualTexts } = await invoiceOf({ name });
  expect(lines).toContain(shown);
  expect(actualTexts).toContain(name.normalize("NFC"));
});

test("Arabic letters have the form of their position", async () => {
  const { glyphs } = await invoiceOf({ name: "ببب" });
  expect(new Set(glyphs.slice(glyphs.findIndex(({ text }) => text === "ب")).slice(0, 3)).size).toBe(3);
});

test("marks are on their letters, and a vowel is on the shadda of its letter", () => {
  const shapeIn = (name: string, text: string) => {
    const [, data] = FONTS.find(([font]) => font === name) ?? FONTS[0];
    const font = new Font(data);
    return font.shape(text).map(({ id, x, y }) => ({ text: font.texts.get(id), x, y }));
  };
  const [lam, shadda, fatha] = shapeIn("arabic", "ل\u064e\u0651");
  expect([lam, shadda, fatha].map((glyph) => glyph?.text)).toEqual(["ل", "\u0651", "\u064e"]);
  expect(fatha?.y).toBeGreaterThan((shadda?.y ?? 0) + 50);
  const [, onWide] = shapeIn("hebrew", "ש\u05b8");
  const [, onNarrow] = shapeIn("hebrew", "י\u05b8");
  expect(onWide?.x).toBeGreaterThan((onNarrow?.x ?? 0) + 200);
});

test("every character that a font lists is drawn", async () => {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  // Of the package, a sample: it has all of Chinese.
  const samples = characters.filter((each, code) => {
    const font = fontOf(each);
    return font === "package" ? code % 50 === 0 : font !== null;
  });
  const lines = samples.flatMap((_, index) =>
    index % 20 === 0 ? samples.slice(index, index + 20).join("") : [],
  );
  const page = await InvoicePage.create("", "2026-01-01T00:00:00.000Z", lines.join(" "));
  for (const line of lines) page.write("P", line, 0, 0, { size: 1 });
  const { glyphs, fontFile } = readPdf(await page.toBytes());
  expect(glyphs.length).toBeGreaterThan(1500);
  expect(glyphs.filter(({ code }) => code === "0000")).toEqual([]);

  // Every font is a file that other programs can read, with an outline for each glyph that is not blank.
  for (const name of new Set(glyphs.map(({ font }) => font))) {
    const font = create(fontFile(name));
    const shown = glyphs.filter((glyph) => glyph.font === name && glyph.text.trim() !== "");
    const empty = shown.filter(
      ({ code }) => font.getGlyph(Number.parseInt(code, 16)).path.commands.length === 0,
    );
    expect([shown.length > 0, empty]).toEqual([true, []]);
  }
});

test("the longest address is on the page, above the footnote", async () => {
  const longest = "東".repeat(100);
  const texts = Object.fromEntries(Object.keys({ ...BILLING, ...NOTHING }).map((name) => [name, longest]));
  const { lineTops } = await invoiceOf(texts);
  const [footnote, lowest] = [...new Set(lineTops)].sort((one, other) => other - one);
  expect(footnote).toBe(790);
  expect(lowest).toBeLessThan(780);
});

test("a PDF is tagged, has a title, a language and the seller, and embeds parts of its fonts", async () => {
  const { lines, source } = await invoiceOf({ name: "Łódź 東京" });
  expect(lines).toEqual(expect.arrayContaining(["Music and Audio Generation Service", "1 Example Street"]));
  const document = ["(Invoice AM-000001)", "/DisplayDocTitle true", "/Lang (en)"];
  const tags = ["/Marked true", "/StructTreeRoot", "/S /H1", "/S /TH", "<pdfuaid:part>1</pdfuaid:part>"];
  const parts = [...document, ...tags];
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  const fonts = [...source.matchAll(/\/FontName \/(\S+)/g)].map(([, name]) => name);
  expect(fonts.length).toBe(3);
  for (const font of fonts) expect(font).toMatch(/^[A-Z]{6}\+(OpenSans-Regular|UnifontExMono)$/);
  expect(source.match(/\/FontFile2 /g)).toHaveLength(3);
});

test.each([
  ["🎵 music", "🎵", "U+1F3B5"],
  ["a\u0000b", "\u0000", "U+0000"],
  ["हिन्दी", "ह", "U+0939"],
  ["\ud800", "\ud800", "U+D800"],
])("text that no font can print is refused with its field: %j", async (text, character, code) => {
  const { control, emulator, frozenState } = service;
  const before = frozenState();
  const { status, body } = await control("PUT", `${account}/billing`, { ...BILLING, city: text });
  expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
  const message = `\`city\` contains "${character}" (${code}), which cannot be printed on an invoice. Remove or replace it.`;
  if (text !== "\ud800") expect(body.message).toBe(message);
  expect(() => emulator.accounts.setBilling(emulator.accountId, { ...BILLING, city: text })).toThrow(message);
  expect(frozenState()).toBe(before);
});

test("without the font package, only text that needs it is refused, and so is its invoice", async () => {
  const { emulator } = service;
  const { accounts, accountId: id } = emulator;
  accounts.setBilling(id, { ...BILLING, name: "東京" });
  const paid = pay();
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  expect(() => accounts.setBilling(id, { ...BILLING, name: "東京" })).toThrow(
    '`name` contains "東" (U+6771), which needs a font that is not installed. Install `@fontsource/unifontex`.',
  );
  await expect(accounts.invoicePdf(id, paid)).rejects.toThrow("Install `@fontsource/unifontex`.");
  accounts.setBilling(id, { ...BILLING, name: "Łódź דבי" });
  expect((await accounts.invoicePdf(id, pay())).length).toBeGreaterThan(1000);
});

test("an invoice keeps the billing information of its day, also in a snapshot", async () => {
  const { accounts, accountId: id, snapshot } = service.emulator;
  const early = pay();
  accounts.setBilling(id, BILLING);
  const first = pay();
  const before = await Promise.all([early, first].map((each) => accounts.invoicePdf(id, each)));
  accounts.setBilling(id, { ...BILLING, name: "Chuva Discos SA" });
  const second = pay();
  const copy = createEmulator({ snapshot: snapshot() });
  for (const { accounts } of [service.emulator, copy]) {
    expect(await Promise.all([early, first].map((each) => accounts.invoicePdf(id, each)))).toEqual(before);
    expect(readPdf(await accounts.invoicePdf(id, second)).lines).toContain("Chuva Discos SA");
  }
  expect(readPdf(before[0] ?? new Uint8Array()).lines).toContain("Chuva Discos Lda");
});
