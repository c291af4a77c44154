/** The default of some options: a variable of the environment, where there is one. */
export function environmentVariable(name: string): string | undefined {
  try {
    const process: { env?: Record<string, string | undefined> } | undefined = Reflect.get(
      globalThis,
      "process",
    );
    const { env = {} } = process ?? {};
    return (Object.hasOwn(env, name) && env[name]) || undefined;
  } catch {
    // Deno requires a permission.
    return undefined;
  }
}
