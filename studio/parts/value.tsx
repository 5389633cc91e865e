import { type AttributeValue, shownValue, typeOf } from '../data/items.ts';

/** A value as text, quoted where blanks would not be seen. `bdi` keeps right-to-left text from turning its neighbours around. */
export function Value({ value }: { readonly value: AttributeValue | undefined }) {
  if (value === undefined) return null;
  const type = typeOf(value);
  const text = shownValue(value);
  return (
    <bdi class={`value type-${type}`} title={text.length > 24 ? text : undefined}>
      {visible(text)}
    </bdi>
  );
}

/**
 * Characters that draw nothing, or turn around what stands beside them. Joiners and tags are parts of scripts and emoji.
 */
const hidden = /(?!\u200c|\u200d|[\u0600-\u0605\u06dd]|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text whose every character is seen: quoted where it begins or ends with blanks, or is nothing else. */
export function visible(text: string): string {
  const shown = text.replaceAll(hidden, (character) =>
    character === '\n'
      ? '↵'
      : character === '\t'
        ? '⇥'
        : `‹${character.codePointAt(0)!.toString(16).padStart(4, '0')}›`,
  );
  return text.trim() === text && text !== '' ? shown : `"${shown}"`;
}
