import { number, object, oneOf, optional } from '../../../model/json/fields.ts';
import type { Billing, CapacityDescription } from '../../../model/tables/table-description.ts';
import { capacityFields, timesField } from '../../../model/tables/table-fields.ts';
import { changedCapacity, createdCapacity, describedCapacity } from '../capacity-settings.ts';
import { noMembers, none, seconds, type TablePart } from './table-part.ts';

/** The billing mode of a table, and its own capacity in it. */
export interface ThroughputSettings extends Omit<CapacityDescription, 'throughput'> {
  readonly billing: Billing;
}

const { throughput: units, ...capacity } = capacityFields;

export const throughput: TablePart<ThroughputSettings, object> = {
  settings: {
    billing: object<Billing>({
      mode: oneOf('PROVISIONED', 'PAY_PER_REQUEST'),
      throughput: units,
      switchedToOnDemandAt: timesField,
      onDemandSince: optional(number),
    }),
    ...capacity,
  },
  state: noMembers,
  created(request, { nowMs }) {
    const mode = request.billingMode;
    const { throughput: next, ...rest } = createdCapacity(request, mode);
    const since = mode === 'PAY_PER_REQUEST' ? { onDemandSince: nowMs } : {};
    return { billing: { mode, throughput: next, switchedToOnDemandAt: [], ...since }, ...rest };
  },
  changed(request, { billing, onDemandThroughput, warmThroughput }, { nowMs }) {
    const from = billing.mode;
    const mode = request.billingMode ?? from;
    const current = {
      throughput: billing.throughput,
      ...(onDemandThroughput && { onDemandThroughput }),
      warmThroughput,
    };
    const { throughput: next, ...rest } = changedCapacity(current, request, from, mode, nowMs);
    const isSwitch = mode === 'PAY_PER_REQUEST' && from === 'PROVISIONED';
    return {
      billing: {
        ...billing,
        mode,
        throughput: next,
        ...(isSwitch && {
          switchedToOnDemandAt: [...billing.switchedToOnDemandAt, nowMs],
          onDemandSince: nowMs,
        }),
      },
      ...rest,
    };
  },
  begun: none,
  described({ description }, context) {
    const { mode, throughput: own, onDemandSince } = description.billing;
    return {
      ...describedCapacity({ ...description, throughput: own }, undefined, context),
      // Absent on a table that was born provisioned and always stayed so.
      ...(onDemandSince !== undefined && {
        BillingModeSummary: {
          BillingMode: mode,
          LastUpdateToPayPerRequestDateTime: seconds(onDemandSince),
        },
      }),
    };
  },
};
