/** Beginnings of lines, made so that any noun or name can stand for `{word}`. */
export const VERSE_LINES = [
  "I was dreaming of {word}",
  "You kept talking of {word}",
  "There was nothing but {word}",
  "Somebody whispered {word}",
  "I left a letter for {word}",
  "We were looking for {word}",
  "I can still hear {word}",
  "Tell me again about {word}",
  "And the radio played {word}",
  "I wrote your name and {word}",
  "We gave it all for {word}",
  "Everything turned to {word}",
] as const;

export const CHORUS_LINES = [
  "{title}, {title},",
  "Oh, carry me to {word}",
  "{title}, sing it with me",
  "We will always have {word}",
] as const;

/** Ends of lines; those of one row rhyme, and a row has enough for a whole chorus. */
export const ENDINGS = [
  ["in the morning light", "all through the night", "and held on tight", "till it felt right"],
  ["at the break of day", "a thousand miles away", "with nothing left to say", "and asked the stars to stay"],
  ["on the evening train", "in the falling rain", "down a narrow lane", "over and over again"],
  ["by the silver sea", "where we used to be", "wild and finally free", "just you and me"],
  ["under an open sky", "and never said goodbye", "while the years went by", "where the swallows fly"],
  [
    "on the long road home",
    "through streets of stone and chrome",
    "wherever we may roam",
    "over the salt and foam",
  ],
  ["with a beating heart", "back at the very start", "a hundred worlds apart", "like a work of art"],
  [
    "when the lights are low",
    "and would not let it go",
    "through the drifting snow",
    "where the rivers flow",
  ],
] as const;

/** What to sing of when a prompt says nothing. */
export const IMAGES = ["the harbour", "summer", "the city", "tomorrow", "the river", "fire"] as const;
