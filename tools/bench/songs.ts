const VERSE = `[Verse]
The trams go down to meet the tide, the tiles are blue with rain,
and every window on the hill keeps one light for the train.
The river carries what we said as far as it can bear;
I hum the rest of it uphill, and leave it on the stair.

[Chorus]
Oh, let it rain on Lisbon till the lamps are out of breath,
till all the roofs have learned the tune and hum it half to death.
`;

/** A typical song with lyrics, which a finished task and each of its clips repeat. */
export const SONG = {
  model: "provider_a",
  task_type: "music",
  input: { prompt: VERSE.repeat(3), tags: "fado, slow, guitar", title: "Rain in Lisbon" },
} as const;

/** A short request, for measurements that do not depend on the lyrics. */
export const SHORT_SONG = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
} as const;
