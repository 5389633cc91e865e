import { type Field, optional } from '../../../model/json/fields.ts';
import { type PhysicsOverrides, readOverrides } from '../../../physics/modes.ts';
import { none, stateOnly } from './table-part.ts';

export interface PhysicsState {
  /** Settings of the physical model for this table, where they were changed while a server ran. */
  readonly physics?: PhysicsOverrides;
}

const overrides: Field<PhysicsOverrides> = {
  fault(value) {
    const read = readOverrides(value);
    return typeof read === 'string' ? ` is no physics settings: ${read}` : undefined;
  },
};

/** DynamoDB knows nothing of these. */
export const physics = stateOnly<PhysicsState>({ physics: optional(overrides) }, none);
