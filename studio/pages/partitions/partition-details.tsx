import type { PartitionDescription, ToldVerdict } from '../../data/physics.ts';
import { bytes, count, units } from '../../parts/format.ts';
import { type Access, ceilingOf, loadIn } from './heat.ts';
import { clockTime } from './heat-map.tsx';
import { VerdictList } from './verdict-list.tsx';

export function PartitionDetails({
  partition,
  minute,
  verdicts,
}: {
  readonly partition: PartitionDescription;
  readonly minute: number;
  readonly verdicts: readonly ToldVerdict[];
}) {
  return (
    <div class="column" style={{ gap: '16px' }}>
      <dl class="facts">
        <dt>Hash range</dt>
        <dd>
          from <code>{partition.from}</code>, {units(partition.share * 100)} % of all keys
        </dd>
        <dt>Stored</dt>
        <dd>{bytes(partition.bytes)} of 10 GB</dd>
        <dt>Hot for</dt>
        <dd>{partition.hotMinutes === 0 ? 'not hot' : `${count(partition.hotMinutes)} minutes`}</dd>
      </dl>
      <section class="column">
        <h3>At {clockTime(minute)} UTC</h3>
        {(['write', 'read'] as const).map((access) => (
          <Load key={access} partition={partition} minute={minute} access={access} />
        ))}
      </section>
      <section class="column">
        <h3>Left at this moment</h3>
        <p class="soft">
          {count(Math.floor(partition.writeBalance))} write and {count(Math.floor(partition.readBalance))}{' '}
          read units before requests are refused.
        </p>
      </section>
      {verdicts.length > 0 ? (
        <section class="column">
          <h3>Verdicts</h3>
          <VerdictList verdicts={verdicts} />
        </section>
      ) : null}
    </div>
  );
}

function Load({
  partition,
  minute,
  access,
}: {
  readonly partition: PartitionDescription;
  readonly minute: number;
  readonly access: Access;
}) {
  const { unitsPerSecond, refused } = loadIn(partition.lastHour, minute, access);
  const share = unitsPerSecond / ceilingOf(access);
  const kind = refused > 0 || share >= 1 ? 'over' : share > 0.7 ? 'hot' : '';
  return (
    <div class="row">
      <span style={{ width: '48px' }}>{access === 'write' ? 'Writes' : 'Reads'}</span>
      <span class={`bar ${kind} grow`} aria-hidden="true">
        <span style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      <span class="number">
        {units(unitsPerSecond)} of {count(ceilingOf(access))}
      </span>
      {refused > 0 ? <span class="badge red">{count(refused)} throttled</span> : null}
    </div>
  );
}
