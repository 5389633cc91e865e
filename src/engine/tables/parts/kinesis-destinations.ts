import { listOf, number, object, oneOf, optional, text } from '../../../model/json/fields.ts';
import type { KinesisDestination } from '../../destinations/destination.ts';
import { none, stateOnly } from './table-part.ts';

export interface DestinationState {
  /** The Kinesis destinations, present and past, newest first. */
  readonly destinations?: readonly KinesisDestination[];
}

const passing = object<NonNullable<KinesisDestination['passing']>>({
  as: oneOf('ENABLING', 'UPDATING', 'DISABLING'),
  until: number,
});

/** DescribeTable does not show destinations; they have an operation of their own. */
export const kinesisDestinations = stateOnly<DestinationState>(
  {
    destinations: optional(
      listOf(
        object<KinesisDestination>({
          streamArn: text,
          state: oneOf('ENABLING', 'ACTIVE', 'DISABLED', 'ENABLE_FAILED'),
          passing: optional(passing),
          precision: optional(oneOf('MILLISECOND', 'MICROSECOND')),
          description: optional(text),
          reader: text,
        }),
      ),
    ),
  },
  none,
);
