import type { DynamoError } from '../model/errors.ts';
import { capacityLimits } from '../model/limits.ts';
import { throttlingError } from './throttling.ts';
import type { Verdict } from './verdict.ts';

/** The error that an enforced verdict is answered with. Several touches of one request give several reasons. */
export function throttlingErrorOf(verdict: Verdict, others: readonly Verdict[] = []): DynamoError {
  const reasons = [verdict, ...others].map(({ reason, arn }) => ({ reason, resource: arn }));
  return throttlingError(verdict, reasons);
}

/** A verdict in the words of a colleague: what asked for how much, what there was, what helps and what does not. */
export function explainVerdict(verdict: Verdict): string {
  const { cause } = verdict;
  const what =
    cause === 'KeyRangeThroughputExceeded'
      ? keyRange(verdict)
      : cause === 'ProvisionedThroughputExceeded'
        ? provisioned(verdict)
        : cause === 'MaxOnDemandThroughputExceeded'
          ? maximum(verdict)
          : account(verdict);
  return `${what} ${howOften(verdict)}`;
}

function keyRange(verdict: Verdict): string {
  const { allowed, asked, keyAsked, kind } = verdict;
  const gives = `a partition gives ${number(allowed)}`;
  // A key that asks for less than a partition gives can be helped: by a partition of its own.
  if (keyAsked > allowed) {
    const shards = Math.max(2, Math.ceil(keyAsked / allowed));
    return (
      `${shownKey(verdict)} took ${number(keyAsked)} ${kind} units a second${ofIndex(verdict)}; ${gives}; no table setting helps a ` +
      `single key; ${kind === 'write' ? `shard it into ${shards} or more` : `cache it, or copy it under ${shards} or more keys`}. ` +
      tableHasRoom(verdict)
    );
  }
  return (
    `Partition ${verdict.partitionId} of ${verdict.partitions} took ${number(asked)} ${kind} units a second${ofIndex(verdict)}; ${gives}. ` +
    `Several keys share the load, of which ${shownKey(verdict)} with ${number(keyAsked)} a second is the largest. DynamoDB ` +
    `splits such a partition after some minutes; a table that was warmed beforehand has the partitions at once. ` +
    tableHasRoom(verdict)
  );
}

function tableHasRoom({ granted, capacity, tableName, indexName }: Verdict): string {
  const share = capacity > 0 ? Math.round((granted / capacity) * 100) : 0;
  const subject = indexName === undefined ? `The table ${tableName}` : `The index ${indexName}`;
  return `${subject} as a whole used ${share} % of the ${number(capacity)} it could give.`;
}

function provisioned(verdict: Verdict): string {
  const { tableName, indexName, kind, allowed, asked } = verdict;
  const units = kind === 'write' ? 'write' : 'read';
  if (indexName !== undefined && kind === 'write')
    return (
      `The index ${indexName} of ${tableName} was asked for ${number(asked)} write units a second; it has ${number(allowed)} ` +
      `provisioned and its burst of ${capacityLimits.burstSeconds} seconds is spent. Writes to the table wait for their indexes, ` +
      `so they were throttled although the table itself may have room. Give the index at least the write rate of the table's ` +
      `items that it holds, or project fewer attributes.`
    );
  const subject =
    indexName === undefined ? `The table ${tableName}` : `The index ${indexName} of ${tableName}`;
  return (
    `${subject} was asked for ${number(asked)} ${units} units a second; ${number(allowed)} are provisioned and the burst of ` +
    `${capacityLimits.burstSeconds} seconds is spent. Provision more, scale automatically with time to spare, or switch to ` +
    `on-demand.`
  );
}

function maximum({ tableName, indexName, kind, allowed, asked }: Verdict): string {
  const subject =
    indexName === undefined ? `the table ${tableName}` : `the index ${indexName} of ${tableName}`;
  const name = kind === 'write' ? 'MaxWriteRequestUnits' : 'MaxReadRequestUnits';
  return (
    `${number(asked)} ${kind} units a second were asked of ${subject}, whose configured maximum is ${number(allowed)}. ` +
    `Raise ${name} if this traffic is wanted.`
  );
}

function account({ tableName, indexName, kind, allowed, asked }: Verdict): string {
  const subject =
    indexName === undefined ? `the table ${tableName}` : `the index ${indexName} of ${tableName}`;
  return (
    `${number(asked)} ${kind} units a second were asked of ${subject}; the account's quota is ${number(allowed)}. ` +
    `AWS raises this quota on request.`
  );
}

function howOften({ count, firstMs, lastMs, enforced, waitMs, exception, reason }: Verdict): string {
  const seconds = Math.max(1, Math.round((lastMs - firstMs) / 1000));
  const span = count === 1 ? '' : ` within ${number(seconds)} second${seconds === 1 ? '' : 's'}`;
  const requests = `${number(count)} request${count === 1 ? '' : 's'}`;
  const did = enforced
    ? `${requests} ${count === 1 ? 'was' : 'were'} refused`
    : `On AWS ${requests} would have been refused`;
  return (
    `${did}${span} with ${exception} (${reason}). ` +
    `The balance is positive again ${number(Math.max(1, Math.ceil(waitMs)))} ms after the last of them.`
  );
}

function ofIndex({ indexName }: Verdict): string {
  return indexName === undefined ? '' : ` of the index ${indexName}`;
}

function shownKey({ key }: Verdict): string {
  return key ?? 'One partition key';
}

/** `1,900`: whole, with commas; small figures with one digit behind the point. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'unlimited';
  const rounded = Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  const [whole, fraction] = String(rounded).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
