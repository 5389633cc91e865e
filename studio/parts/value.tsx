import { type AttributeValue, shownValue, typeOf } from '../data/items.ts';

/** A value as text. `bdi` keeps right-to-left text from turning its neighbours around. */
export function Value({ value }: { readonly value: AttributeValue | undefined }) {
  if (value === undefined) return null;
  const type = typeOf(value);
  const text = shownValue(value);
  return (
    <bdi class={`value type-${type}`} title={text.length > 24 ? text : undefined}>
      {text === '' ? '""' : text}
    </bdi>
  );
}
