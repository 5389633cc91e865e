/**
 * The characters that keys may hold. Each sorts behind the delimiter `#`, so that "North" comes before "North2" with
 * whatever follows in the key; none is U+10FFFF, which ends ranges; and none is half of a surrogate pair, which the
 * service stores as another character.
 */
export const sortedCharacters = /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u;

/** The same for free text, whose delimiters are escaped and whose order no pattern relies on. */
export const freeCharacters = /^[^\ud800-\udfff\u{10ffff}]+$/u;

export const sortedCharactersInWords =
  'a text without "#", which separates the parts of a key, and without spaces, control characters, ! and ", which sort before it';
