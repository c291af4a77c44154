/** The default of some options: a variable of the environment, where there is one. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { env = {} } = Object(Reflect.get(globalThis, "process"));
    return (Object.hasOwn(env, name) && env[name]) || undefined;
  } catch {
    // Deno requires a permission.
    return undefined;
  }
}
