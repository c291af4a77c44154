/** What is mutated, and by which tests a mutant may be found. */
export const MODULES = {
  contract: {
    mutate: ["src/contract/**/*.ts"],
    tests: [
      "test/spec/{contract-constants,order-of-errors,policies,requests,sdk-answers}.test.ts",
      "test/sdk/{journal,lenient-reading,option-names,request,request-validation,run,task-id,wait}.test.ts",
      "test/sdk/{max-credits,run-all,warnings,journal-failures,ordered-type,not-the-service,error-parts}.test.ts",
      "test/sdk/{create-once,task-events,changing-requests,progress-of,wait-endings}.test.ts",
      "test/spec/{invented-input,request-fields,no-effect,raw-bodies,tasks}.test.ts",
      "test/emulator/misspelled.test.ts",
      "test/sdk/rules/{near-name,upload-address}.test.ts",
      "test/hostile/{causes,messages,options,terminal}.test.ts",
    ],
  },
  journal: {
    mutate: ["src/journal/**/*.ts"],
    tests: [
      "test/sdk/{journal,journal-*,memory-journal,settle-*,suspended-process}.test.ts",
      "test/sdk/{abort-before-the-post,budget,budget-failures,budget-of-followed-orders}.test.ts",
      "test/sdk/{durability,follow,follow-tenants,max-credits,own-pacer,run,run-all}.test.ts",
      "test/sdk/{file-journal,rules/evidence,rules/process-notes}.test.ts",
    ],
  },
  turns: {
    mutate: ["src/rate-limit/{max-min,memory-pacer,queue,task-reads,tenants,timer}.ts"],
    tests: [
      "test/sdk/rules/pacer/{fixed-window,loads,polls,queue,reads,tenants,tenants-at-once,turns}.test.ts",
      "test/sdk/rules/memory-pacer.test.ts",
      "test/sdk/{estimate,shared-ends,tenant}.test.ts",
    ],
  },
  windows: {
    mutate: ["src/rate-limit/{*-window,key-use,other-processes,probes}.ts"],
    tests: [
      "test/sdk/rules/pacer/{fixed-window,loads,queue,sliding-window,steady-clock}.test.ts",
      "test/sdk/rules/memory-pacer.test.ts",
      "test/sdk/{exact-limits,pacer-surprises}.test.ts",
    ],
  },
  polls: {
    mutate: ["src/rate-limit/{durations,poll-plan,poll-price,schedule}.ts"],
    tests: [
      "test/sdk/rules/pacer/{durations,poll-plan,poll-price,polls,schedule,tenants-at-once}.test.ts",
      "test/sdk/{estimate,tenant}.test.ts",
    ],
  },
  http: {
    mutate: ["src/http/**/*.ts", "src/errors/{options,redactor}.ts"],
    tests: [
      "test/sdk/{client-options,failed-connection,lenient-reading,option-names,own-pacer}.test.ts",
      "test/sdk/{read-retries,request,request-validation,task-id,telemetry,with-response}.test.ts",
      "test/sdk/{custom-fetch,not-the-service,task-events,error-parts,create-once,ordered-type,watch}.test.ts",
      "test/sdk/{error-messages,journal,run}.test.ts",
      "test/sdk/rules/{near-name,never-left,redactor,stated-wait}.test.ts",
      "test/hostile/!(regular-expressions).test.ts",
      "test/spec/{endpoints,error-classes,sdk-answers}.test.ts",
    ],
  },
  ledger: {
    mutate: ["emulator/core/ledger.ts"],
    tests: ["test/emulator/{ledger,money,top-ups,auto-top-up,task-life,snapshot}.test.ts"],
  },
  engine: {
    mutate: ["emulator/core/transitions.ts"],
    tests: [
      "test/emulator/{task-life,outcomes,policy,faults,snapshot,repeatable,auto-top-up}.test.ts",
      "test/spec/{transitions,tasks,promises}.test.ts",
      "test/emulator/audio-serving.test.ts",
    ],
  },
};
