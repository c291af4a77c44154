/**
 * A message whose parts are badly joined: two spaces, a space before a full stop, a full stop or a semicolon after another mark,
 * or a sentence that follows without a space.
 */
export const BADLY_JOINED = / {2}| \.|[.?!][.;]|[a-z]\.[A-Z]/;
