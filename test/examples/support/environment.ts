const { ASYNC_MUSIC_API_KEY: _, ...others } = process.env;

/** Without an API key, so that the examples use the emulator. */
export const environment: NodeJS.ProcessEnv = others;
