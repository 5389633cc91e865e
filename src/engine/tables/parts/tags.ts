import { mapOf, number, optional, text } from '../../../model/json/fields.ts';
import { stateOnly } from './table-part.ts';

export interface TagState {
  readonly tags: Readonly<Record<string, string>>;
  /** The time of the last change, where the service's interval between changes is acted out. */
  readonly tagsChangedAt?: number;
}

/** DescribeTable does not show tags; they have an operation of their own. */
export const tags = stateOnly<TagState>({ tags: mapOf(text), tagsChangedAt: optional(number) }, () => ({
  tags: {},
}));
