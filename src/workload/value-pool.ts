import type { Attribute, Entity, Value } from '../design/index.ts';
import { drawValue, type Era, sentence, timeText, token } from './draw-value.ts';
import { hashText, Seeded } from './seeded.ts';

const dayMs = 86_400_000;

/** Whether an attribute has so many values as its model declares, and not those that its type tells. */
export function isPooled({ type, distinct, refersTo }: Attribute): boolean {
  return distinct !== undefined && refersTo === undefined && type.kind !== 'choice' && type.kind !== 'flag';
}

/** One of the declared values of an attribute: the same for the same number, whichever instance has it. */
export function pooledValue(attribute: Attribute, index: number, era: Era): Value {
  const { name, type } = attribute;
  const values = Math.max(1, attribute.distinct ?? 1);
  const part = ((index % values) + 0.5) / values;
  const random = new Seeded(hashText(name), index);
  switch (type.kind) {
    case 'id':
      return token(hashText(name), index, type.bytes.mean);
    case 'number': {
      const decimals = Math.min(type.decimals, 4);
      const parts = 10 ** decimals;
      return Math.floor(part * 10 ** Math.min(type.digits, 9) * parts) / parts;
    }
    case 'time':
      return timeText(era.nowMs - Math.floor(part * era.days * dayMs));
    case 'epoch':
      return Math.floor((era.nowMs - part * era.days * dayMs) / 1000);
    case 'date':
      return timeText(era.nowMs - index * dayMs).slice(0, 10);
    case 'text':
    case 'path': {
      const mark = index.toString(36);
      const text = sentence(random, type.bytes.mean, type.kind === 'path' ? '/' : '-');
      return `${text.slice(0, Math.max(0, type.bytes.mean - mark.length))}${mark}`;
    }
    default:
      return drawValue(random, attribute, era);
  }
}

/** The attribute whose value an attribute carries, through copies of copies; itself if it is no copy. */
export function sourceOf(
  entityNamed: (name: string) => Entity,
  entity: Entity,
  name: string,
): { readonly entity: Entity; readonly attribute: Attribute } {
  let at = entity;
  let attribute = entity.attributes.find((one) => one.name === name)!;
  while (attribute.copyOf !== undefined && attribute.distinct === undefined) {
    const { copyOf } = attribute;
    at = entityNamed(copyOf.entity);
    attribute = at.attributes.find((one) => one.name === copyOf.attribute)!;
  }
  return { entity: at, attribute };
}
