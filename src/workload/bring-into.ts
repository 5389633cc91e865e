import { holds } from '../design/compile/predicates.ts';
import type { Attribute, Entity, Predicate, Value, WriteStep } from '../design/index.ts';

/** Changes an instance so that a step's conditions hold of it, and so that its state is one that the step may leave. */
export function bringInto(
  values: Record<string, Value>,
  entity: Entity,
  step: WriteStep,
  when: readonly Predicate[],
  draw: (attribute: Attribute) => Value,
): void {
  const attributeNamed = (name: string) => entity.attributes.find((one) => one.name === name)!;
  const { states } = entity;
  const set =
    step.kind === 'change' ? step.sets.find(({ attribute }) => attribute === states?.attribute) : undefined;
  if (states !== undefined && set !== undefined) {
    const isFrom = (next: readonly string[]) =>
      set.value === undefined ? next.length > 0 : next.includes(String(set.value));
    const asked = when.filter((one) => 'attribute' in one && one.attribute === states.attribute);
    const from = Object.keys(states.transitions).find(
      (state) =>
        isFrom(states.transitions[state]!) && asked.every((one) => holds(one, { [states.attribute]: state })),
    );
    if (from !== undefined) values[states.attribute] = from;
  }
  for (const one of when) {
    if (holds(one, values)) continue;
    switch (one.kind) {
      case 'equals':
        values[one.attribute] = one.value;
        break;
      case 'among':
        values[one.attribute] = one.values[0]!;
        break;
      case 'exists':
        values[one.attribute] = draw(attributeNamed(one.attribute));
        break;
      case 'compare': {
        const { left, operator, right } = one;
        const limit = 'value' in right ? right.value : Number(values[right.attribute] ?? 0);
        const step = operator.length === 2 ? 0 : 1;
        if (attributeNamed(left).type.kind === 'number')
          values[left] = operator.startsWith('<') ? limit - step : limit + step;
        break;
      }
    }
  }
}
