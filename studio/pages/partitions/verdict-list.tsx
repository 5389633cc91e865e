import type { ToldVerdict } from '../../data/physics.ts';
import { count } from '../../parts/format.ts';

/** What was throttled, or would have been, each in the words of a colleague. */
export function VerdictList({ verdicts }: { readonly verdicts: readonly ToldVerdict[] }) {
  if (verdicts.length === 0) return <p class="soft">Nothing.</p>;
  return (
    <ul class="column verdicts">
      {verdicts.slice(0, 20).map((verdict) => (
        <li key={`${verdict.firstMs} ${verdict.partitionId} ${verdict.reason}`} class="verdict">
          <div class="row small">
            <span class={`badge ${verdict.enforced ? 'red' : 'amber'}`}>
              {count(verdict.count)} {verdict.kind === 'write' ? 'writes' : 'reads'}
            </span>
            <span class="soft" style={{ whiteSpace: 'nowrap' }}>
              {new Date(verdict.lastMs).toISOString().slice(11, 19)} UTC
            </span>
            <span class="mono faint cut">{verdict.reason}</span>
          </div>
          <p>{verdict.explanation}</p>
        </li>
      ))}
    </ul>
  );
}
