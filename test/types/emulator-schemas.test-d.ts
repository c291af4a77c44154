import type * as emulator from "async-music/emulator";
import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type { accountMethods, accountSchema, keySchema } from "../../emulator/control/account-methods.js";
import type { faultRuleSchema } from "../../emulator/core/faults.js";
import type { findingSchema } from "../../emulator/core/log/audit.js";
import type { loggedRequestSchema } from "../../emulator/core/log/request-log.js";
import type {
  autoTopUpChangeSchema,
  autoTopUpSchema,
  billingSchema,
  invoiceSchema,
  paymentSchema,
  topUpSchema,
} from "../../emulator/core/payments/schemas.js";
import type { policyChangesSchema, policySchema } from "../../emulator/core/policy.js";
import type { outcomeSchema } from "../../emulator/core/providers.js";
import type { limitsSchema } from "../../emulator/core/rate-limit.js";
import type { seedFileSchema } from "../../emulator/core/seed-file/schema.js";
import type { snapshotSchema } from "../../emulator/core/state.js";

/** Schemas do not say that a caller must not write. */
type Writable<Whole> = {
  -readonly [Name in keyof Whole]: Whole[Name] extends readonly string[] | undefined
    ? string[] | undefined
    : Whole[Name];
};
type DeepWritable<Part> = Part extends object
  ? { -readonly [Name in keyof Part]: DeepWritable<Part[Name]> }
  : Part;
type BodyOf<Method> = Method extends { readonly body: infer Body extends z.ZodMiniType | null }
  ? z.input<NonNullable<Body>>
  : never;
type ResultOf<Method> = Method extends { run(...args: never): infer Result } ? Result : never;

test("the public types of what a caller passes are those of the schemas that check it", () => {
  expectTypeOf<z.input<typeof topUpSchema>>().toEqualTypeOf<emulator.TopUp>();
  expectTypeOf<z.input<typeof autoTopUpChangeSchema>>().toEqualTypeOf<emulator.AutoTopUpChange>();
  expectTypeOf<z.input<typeof billingSchema>>().toEqualTypeOf<emulator.BillingInformation>();
  expectTypeOf<BodyOf<(typeof accountMethods)["updateAccount"]>>().toEqualTypeOf<emulator.AccountChanges>();
  expectTypeOf<z.input<typeof policyChangesSchema>>().toEqualTypeOf<emulator.PolicyChanges>();
  expectTypeOf<z.input<typeof limitsSchema>>().toEqualTypeOf<emulator.Limits>();
  expectTypeOf<z.input<typeof faultRuleSchema>>().toEqualTypeOf<emulator.FaultRule>();
  expectTypeOf<z.input<typeof outcomeSchema>>().toEqualTypeOf<Writable<emulator.Outcome>>();
  expectTypeOf<z.input<typeof seedFileSchema>>().toEqualTypeOf<DeepWritable<emulator.SeedFile>>();
});

test("the public types of what the emulator returns are those of the schemas that describe it", () => {
  expectTypeOf<z.output<typeof paymentSchema>>().toEqualTypeOf<emulator.Payment>();
  expectTypeOf<z.output<typeof invoiceSchema>>().toEqualTypeOf<emulator.Invoice>();
  expectTypeOf<z.output<typeof autoTopUpSchema>>().toEqualTypeOf<emulator.AutoTopUpView>();
  expectTypeOf<z.output<typeof billingSchema>>().toEqualTypeOf<emulator.Billing>();
  expectTypeOf<z.output<typeof policySchema>>().toEqualTypeOf<emulator.Policy>();
  expectTypeOf<z.output<typeof keySchema>>().toEqualTypeOf<emulator.KeyView>();
  expectTypeOf<z.output<typeof loggedRequestSchema>>().toEqualTypeOf<Writable<emulator.LoggedRequest>>();
  expectTypeOf<z.output<typeof findingSchema>>().toEqualTypeOf<Writable<emulator.Finding>>();
  expectTypeOf<ResultOf<(typeof accountMethods)["createAccount"]>>().toEqualTypeOf<emulator.CreatedAccount>();
  expectTypeOf<ResultOf<(typeof accountMethods)["createKey"]>>().toEqualTypeOf<emulator.CreatedKey>();
});

test("other fields of the service's own resources may follow, which the schemas do not name", () => {
  expectTypeOf<z.output<typeof accountSchema>["ledger"]>().toEqualTypeOf<emulator.AccountView["ledger"]>();
  expectTypeOf<emulator.AccountView>().toExtend<z.output<typeof accountSchema>>();
  expectTypeOf<z.output<typeof accountSchema>>().toExtend<emulator.AccountView>();
  expectTypeOf<z.output<typeof snapshotSchema>>().toExtend<emulator.Snapshot>();
});
