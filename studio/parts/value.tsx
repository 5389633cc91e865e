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

/** A text, quoted where it begins or ends with blanks, or is nothing else. */
export function visible(text: string): string {
  return text.trim() === text && text !== '' ? text : `"${text}"`;
}
